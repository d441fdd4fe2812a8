// Two scans over some columns of many rows: one leaves the rows that are drawn in the table `drawn`, be it for themselves or for one of their
// values; one measures all values.
import { isDistributed } from '../profile/distribution.ts';
import { type Overview, overviewAsked, readOverview } from '../profile/overview.ts';
import { hasPatterns } from '../profile/patterns.ts';
import { askEach, type Batch } from './batch.ts';
import { COUNTED_VALUES } from './counts.ts';
import { isDrawn, lotOf } from './lots.ts';
import { type DrawnRow, isWholeRow, type Looking, ROWS_DRAWN, SAMPLE_ROWS, TEXT_ROWS } from './request.ts';
import { readTexts, textsAsked } from './texts.ts';
import { drawnValues, estimateFrom, holdsDrawn, isRough, shortened, trimmed } from './values.ts';

/** What is drawn of one column; nothing of what is not wanted. */
export interface Drawn {
  /** About how many values differ. */
  readonly differ: number;
  readonly values: readonly string[];
  readonly texts: readonly string[];
}

/** Rows drawn for one that is wanted, so that there are enough whatever the lots. */
const SPARE = 1.06;

const wantsValues = ({ request: { wanted } }: Looking): boolean => wanted.has('profile') || wanted.has('values');

/** What all values show, none where no profile is wanted, and the drawn rows. */
export interface Scanned {
  readonly overviews: readonly Overview[];
  readonly drawn: Batch;
}

/** `whole`: whether whole rows are wanted of these columns. Measures that look at drawn rows only would take longer than a scan of their own. */
export async function scan(looking: Looking, batch: Batch, whole: boolean): Promise<Scanned> {
  const { engine, request } = looking;
  const { columns, values, row, from } = batch;
  // While nothing is kept, so that wide rows have all of the memory.
  const overviews = request.wanted.has('profile') ? await askEach(engine, batch, overviewAsked) : [];
  const kept = columns.map(({ type }, place) => {
    const value = values[place] ?? '';
    return `${shortened(value, type)} AS c${place}, hash(${value}) AS h${place}`;
  });
  await engine.run(`CREATE OR REPLACE TEMP TABLE drawn AS
    SELECT ${row} AS row, ${kept.join(', ')} FROM ${from} WHERE ${isWanted(looking, batch, whole)}`);
  const drawn = { ...batch, from: 'drawn', row: 'row', values: columns.map((_, place) => `c${place}`) };
  return { overviews: overviews.map(readOverview), drawn };
}

/** SQL that says whether a row is drawn, for itself or for one of its values. */
function isWanted(looking: Looking, { row, values }: Batch, whole: boolean): string {
  const { wanted, rowCount: rows } = looking.request;
  const some = [
    ...(wantsValues(looking) ? values.map((value) => holdsDrawn(value, rows, looking.seed)) : []),
    ...(wanted.has('profile') ? [isDrawn(row, Math.ceil(SPARE * SAMPLE_ROWS), rows)] : []),
    ...(wanted.has('texts') ? [isDrawn(row, TEXT_ROWS, rows)] : []),
    ...(whole ? [isWholeRow(looking, row)] : []),
  ];
  return some.length === 0 ? 'false' : some.join(' OR ');
}

/** Of each column of `batch`, whose drawn rows are `drawn`. */
export async function readDrawn(looking: Looking, batch: Batch, drawn: Batch): Promise<Drawn[]> {
  const { engine, request } = looking;
  const { wanted, rowCount: rows } = request;
  const texts = wanted.has('texts') ? await askEach(engine, drawn, textsAsked(drawn.row, rows)) : [];
  const found: Drawn[] = [];
  for (const place of batch.columns.keys()) {
    const none = { differ: 0, values: [], lots: 0 };
    const lots = wantsValues(looking) ? await drawnIn(looking, drawn, place, { of: rows, hash: `h${place}` }) : none;
    const again = lots.differ > COUNTED_VALUES && isRough(lots.lots);
    // Where few of many different values were drawn they are drawn once more, among about as many as differ.
    const hash = `hash(${batch.values[place] ?? ''})`;
    const better = again ? await drawnIn(looking, batch, place, { of: lots.differ, hash }) : lots;
    found.push({ differ: better.differ, values: better.values, texts: readTexts(texts[place]?.[0]) });
  }
  return found;
}

interface Among {
  /** About how many different values. */
  readonly of: number;
  /** SQL of the hash of each. */
  readonly hash: string;
}

async function drawnIn({ engine, seed, values: wanted }: Looking, batch: Batch, place: number, { of, hash }: Among) {
  const column = { value: batch.values[place] ?? '', hash, type: batch.columns[place]?.type ?? '' };
  const [[count, values] = []] = await engine.texts(drawnValues({ from: batch.from, ...column, of }, { seed, wanted }));
  const lots = Number(count);
  return { lots, differ: estimateFrom(lots, of), values: trimmed(values) };
}

/** The sample that distributions and shapes are taken from; `drawn` is the batch of the drawn rows. */
export async function takeSample({ engine, request }: Looking, drawn: Batch): Promise<Batch> {
  const some = isDrawn('row', Math.ceil(SPARE * SAMPLE_ROWS), request.rowCount);
  const columns = drawn.columns.flatMap((column, place) =>
    isDistributed(column.type) || hasPatterns(column) ? [`c${place}`] : [],
  );
  await engine.run(`CREATE OR REPLACE TEMP TABLE sampled AS
    SELECT ${['row', ...columns].join(', ')} FROM drawn WHERE ${some} ORDER BY row LIMIT ${SAMPLE_ROWS}`);
  return { ...drawn, from: 'sampled' };
}

/** The whole rows, in the order of their lots. */
export function takeRows(looking: Looking, drawn: Batch): Promise<DrawnRow[]> {
  const lot = lotOf('row', looking.seed);
  const where = isWholeRow(looking, 'row');
  return looking.engine.texts(
    `SELECT ${drawn.values.join(', ')} FROM drawn WHERE ${where} ORDER BY ${lot} LIMIT ${ROWS_DRAWN}`,
  );
}

/** The columns at some places, as a batch. */
export function columnsWhere(batch: Batch, is: (place: number) => boolean): Batch {
  const columns = batch.columns.filter((_, place) => is(place));
  return { ...batch, columns, values: batch.values.filter((_, place) => is(place)) };
}
