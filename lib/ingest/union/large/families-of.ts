// Of which kind each column of several files is. What a file says of a column counts where it has a value: that is asked only where files differ.
import { must } from '../../../core/check.ts';
import { type Engine, withEngine } from '../../engine/engine.ts';
import { bySlice, columnAt, type Rows } from '../../typing/relation.ts';
import { type Agreed, agree, type FamilyIn } from '../families.ts';
import { inChunkOf, type Planning, type United } from './united.ts';

interface Holder extends FamilyIn {
  readonly place: number;
  /** The places of the file, and of the column in it. */
  readonly at: number;
  readonly own: number;
}

/** Which of some columns have a value. */
async function withValues(engine: Engine, rows: Rows, columns: readonly number[]): Promise<number[]> {
  const found: number[] = [];
  for (const { slice, items } of bySlice(rows, columns, { indexOf: (index) => index })) {
    const asked = items.map((index) => `count(${columnAt(index)}) AS n${index}`);
    const row = await engine.row(`SELECT ${asked.join(', ')} FROM ${slice.from}`);
    found.push(...items.filter((index) => Number(row[`n${index}`]) > 0));
  }
  return found;
}

/** Of JSON it is known of all records. */
function hasKnownValue({ files }: United, { at, own }: Holder): boolean | undefined {
  const counts = files[at]?.text.json?.keys[own]?.counts;
  return counts && counts.string + counts.number + counts.boolean + counts.nested > 0;
}

async function inSample(engine: Engine, { files }: United, at: number, holders: readonly Holder[]): Promise<Holder[]> {
  const { sample } = must(files[at], 'a file');
  const columns = await withValues(
    engine,
    sample,
    holders.map(({ own }) => own),
  );
  return holders.filter(({ own }) => columns.includes(own));
}

/** Those of the holders in a file, which have no value in its sample, that have one. */
async function inChunks(planning: Planning, united: United, at: number, holders: readonly Holder[]): Promise<Holder[]> {
  const { ctx, ...pass } = planning;
  const found = new Set<number>();
  const places = holders.map(({ place }) => place);
  for (const [index, chunk] of united.chunks.entries()) {
    if (chunk.file !== at) continue;
    const ask = () => inChunkOf(pass, united, chunk, (engine, rows) => withValues(engine, rows, places));
    for (const place of await ctx.step(`values ${index}`, ask)) found.add(place);
  }
  return holders.filter(({ place }) => found.has(place));
}

/** Those of some holders that have a value. */
async function present(planning: Planning, united: United, holders: readonly Holder[]): Promise<ReadonlySet<Holder>> {
  const found = new Set(holders.filter((holder) => hasKnownValue(united, holder) === true));
  const open = Map.groupBy(
    holders.filter((holder) => hasKnownValue(united, holder) === undefined),
    ({ at }) => at,
  );
  if (open.size === 0) return found;
  await withEngine(planning, async (engine) => {
    for (const [at, own] of open) for (const holder of await inSample(engine, united, at, own)) found.add(holder);
  });
  for (const [at, own] of open) {
    const left = united.files[at]?.sampleIsAll === true ? [] : own.filter((holder) => !found.has(holder));
    for (const holder of left.length === 0 ? [] : await inChunks(planning, united, at, left)) found.add(holder);
  }
  return found;
}

const differ = (holders: readonly Holder[]): boolean => new Set(holders.map(({ family }) => family)).size > 1;

/** By the place of the column. Faults: INPUT_UNREADABLE. */
export async function familiesOf(planning: Planning, united: United): Promise<Agreed[]> {
  const { files, places } = united;
  const holders = files.flatMap(({ name: file, columns }, at) =>
    columns.map(({ family }, own): Holder => ({ file, family, at, own, place: must(places[at]?.[own], 'a place') })),
  );
  const byPlace = [...Map.groupBy(holders, ({ place }) => place)].sort(([a], [b]) => a - b).map(([, each]) => each);
  const has = await present(planning, united, byPlace.filter(differ).flat());
  return byPlace.map((each) => agree(differ(each) ? each.filter((holder) => has.has(holder)) : each));
}
