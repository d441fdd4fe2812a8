// Of which kinds the values of a key are, and what its column can therefore hold.
import type { Warning } from '../../core/warning.ts';
import type { Family } from '../typing/relation.ts';
import { warn } from '../warnings.ts';
import type { KeyColumn, KeyColumns } from './columns.ts';
import { type Kind, kinds } from './grammar.ts';
import type { Members } from './members.ts';

const valueKinds = ['string', 'number', 'boolean', 'nested'] as const satisfies readonly Kind[];
const families = { string: 'text', number: 'number', boolean: 'boolean', nested: 'json' } as const satisfies Partial<
  Record<Kind, Family>
>;

const EXAMPLE_BYTES = 400;

const kindsOf = ({ counts }: Pick<KeyColumn, 'counts'>) => valueKinds.filter((kind) => counts[kind] > 0);

/**
 * One kind gives its family. Several are text, each value as it was written, so that a text is found by its own words; where
 * one of them is an object or an array, all are JSON.
 */
export function familyOf(column: Pick<KeyColumn, 'counts'>): Family {
  const found = kindsOf(column);
  const [only, ...others] = found;
  if (only === undefined) return 'text';
  if (others.length === 0) return families[only];
  return found.includes('nested') ? 'json' : 'text';
}

/** Tells the columns of a record, and finds which they are. */
export function tally(columns: KeyColumns, bytes: Buffer, members: Members, row: number): void {
  columns.locate(bytes, members, row);
  const { list, tallies } = columns;
  for (let place = 0; place < members.count; place++) {
    const column = members.columns[place] as number;
    const slot = column * kinds.length + (members.kinds[place] as number);
    const before = tallies[slot] as number;
    tallies[slot] = before + 1;
    if (before === 0) noteFirst(list[column] as KeyColumn, bytes, members, { place, row });
  }
}

interface At {
  readonly place: number;
  readonly row: number;
}

function noteFirst({ first }: KeyColumn, bytes: Buffer, members: Members, { place, row }: At): void {
  const kind = kinds[members.kinds[place] as number] as Kind;
  if (kind === 'null') return;
  const start = members.valueStarts[place] as number;
  const end = Math.min(members.valueEnds[place] as number, start + EXAMPLE_BYTES);
  first[kind] = { row, example: bytes.toString('utf8', start, end) };
}

/** The warning that a column holds values of several kinds. */
export function mixed(column: Pick<KeyColumn, 'counts' | 'first'>, name: string): Warning[] {
  const found = kindsOf(column);
  if (found.length < 2) return [];
  const rarest = found.reduce((a, b) => (column.counts[b] < column.counts[a] ? b : a));
  const detail = `${found.map((kind) => `${column.counts[kind]} ${kind}`).join(', ')}.`;
  return [warn('MIXED_JSON_TYPES', { column: name, ...column.first[rarest], count: column.counts[rarest], detail })];
}
