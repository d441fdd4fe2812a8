// Finds the relations of some tables with all others of a dataset: candidates by name, then their values, within bounds on pairs and on bytes
// fetched. What could not be looked at is counted, never guessed.
import type { SnapshotId, TableId } from '../../core/ids.ts';
import { withEngine, type EngineSettings } from '../engine/engine.ts';
import { listOf } from '../engine/sql.ts';
import { candidateLimits, type CandidateLimits, candidatesIn } from './candidates.ts';
import { groupOf, isKeyLike } from './groups.ts';
import { judge, type Judged, PROPOSED_FROM } from './judge.ts';
import { measurePair } from './measure.ts';
import type { Candidate, KeyColumn, Measured } from './types.ts';

export interface RelatedTable {
  readonly id: TableId;
  readonly name: string;
  readonly snapshot: SnapshotId;
  readonly rows: number;
  readonly columns: readonly Omit<KeyColumn, 'table' | 'tableName' | 'rows'>[];
  readonly parts: readonly { readonly key: string; readonly bytes: number }[];
}

export interface RelationEnd {
  readonly table: TableId;
  readonly tableName: string;
  readonly column: string;
}

export interface Finding extends Judged {
  readonly from: RelationEnd;
  readonly to: RelationEnd;
  readonly fromSnapshot: SnapshotId;
  readonly toSnapshot: SnapshotId;
  readonly measured: Measured;
  /** Good enough to be proposed by itself. */
  readonly proposed: boolean;
}

/** A relation that is known already, and measured whatever its names. */
export type KnownPair = { readonly [End in 'from' | 'to']: Pick<RelationEnd, 'table' | 'column'> };

export interface FindLimits extends CandidateLimits {
  /** Bytes of one table's parts, and of all that are fetched in one run. */
  readonly tableBytes: number;
  readonly bytes: number;
}

export const findLimits: FindLimits = { ...candidateLimits, tableBytes: 512 * 2 ** 20, bytes: 2 * 2 ** 30 };

export interface FindRequest extends EngineSettings {
  readonly tables: readonly RelatedTable[];
  /** Of a pair, one table at least is among them. */
  readonly wanted: ReadonlySet<TableId>;
  readonly known: readonly KnownPair[];
  /** Pairs that are never measured again. */
  readonly refused: (pair: KnownPair) => boolean;
  /** Local paths of a table's parts, in order. */
  readonly fetch: (table: RelatedTable) => Promise<readonly string[]>;
  readonly bounds?: FindLimits | undefined;
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

export interface Found {
  readonly findings: readonly Finding[];
  /** Pairs that were not measured: beyond the number of pairs, or of tables too large to fetch. */
  readonly left: number;
}

type Pair = Candidate & { readonly known: boolean };

export async function findRelations(request: FindRequest): Promise<Found> {
  const { tables, wanted, known, refused, bounds = findLimits, progress } = request;
  const byId = new Map(tables.map((table) => [table.id, table]));
  const columns = tables.flatMap(columnsOf);
  const told = known.flatMap((pair) => knownCandidate(pair, columns));
  const guessed = candidatesIn(columns, ({ table }) => wanted.has(table), bounds);
  const ofWanted = told.filter(({ from, to }) => wanted.has(from.table) || wanted.has(to.table));
  const pairs = withoutTwice([...ofWanted, ...guessed.pairs.map((pair) => ({ ...pair, known: false }))]).filter(
    (pair) => pair.known || !(refused(pair) || refused(turned(pair))),
  );
  if (pairs.length === 0) return { findings: [], left: guessed.left };
  const sources = sourcesOf(request, bounds);
  const findings: Finding[] = [];
  let left = guessed.left;
  await withEngine(request, async (engine) => {
    for (const [done, pair] of pairs.entries()) {
      progress?.(done, pairs.length);
      const [from, to] = [byId.get(pair.from.table), byId.get(pair.to.table)];
      if (from === undefined || to === undefined) continue;
      const [source, other] = [await sources(from), await sources(to)];
      if (source === undefined || other === undefined) {
        left += 1;
        continue;
      }
      findings.push(await measureBest(engine, pair, { [from.id]: source, [to.id]: other }, { from, to }));
    }
  });
  return { findings, left };
}

const columnsOf = ({ id, name, rows, columns }: RelatedTable): KeyColumn[] =>
  columns.map((column) => ({ ...column, table: id, tableName: name, rows }));

function knownCandidate({ from, to }: KnownPair, columns: readonly KeyColumn[]): Pair[] {
  const ends = [from, to].map((end) =>
    columns.find(({ table, column }) => table === end.table && column === end.column),
  );
  const [left, right] = ends;
  if (left === undefined || right === undefined) return [];
  if (groupOf(left.type) === undefined || groupOf(right.type) === undefined) return [];
  const named = candidatesIn([left, right], () => true).pairs[0]?.names;
  const names = named ?? { score: 0.3, why: 'a person said so, or an earlier look' };
  return [{ from: left, to: right, names, known: true }];
}

const keyOf = ({ from, to }: KnownPair): string => JSON.stringify([from.table, from.column, to.table, to.column]);
const turned = ({ from, to }: KnownPair): KnownPair => ({ from: to, to: from });

/** A known pair stands for a guess in either direction. */
function withoutTwice(pairs: readonly Pair[]): Pair[] {
  const seen = new Set<string>();
  return pairs.filter((pair) => {
    const again = seen.has(keyOf(pair)) || (!pair.known && seen.has(keyOf(turned(pair))));
    seen.add(keyOf(pair));
    return !again;
  });
}

/** FROM items by table, fetched when first asked for; undefined for a table beyond the bounds. */
function sourcesOf({ fetch }: FindRequest, bounds: FindLimits) {
  const known = new Map<TableId, string | undefined>();
  let bytes = 0;
  return async (table: RelatedTable): Promise<string | undefined> => {
    if (known.has(table.id)) return known.get(table.id);
    const size = table.parts.reduce((sum, part) => sum + part.bytes, 0);
    const fits = size <= bounds.tableBytes && bytes + size <= bounds.bytes;
    if (fits) bytes += size;
    const source = fits ? `read_parquet(${listOf(await fetch(table))})` : undefined;
    known.set(table.id, source);
    return source;
  };
}

/** Of two keys with equal names either may refer to the other: the direction with more values found is taken. */
async function measureBest(
  engine: Parameters<typeof measurePair>[0],
  pair: Pair,
  sources: Readonly<Record<string, string>>,
  tables: { readonly from: RelatedTable; readonly to: RelatedTable },
): Promise<Finding> {
  const at = (column: KeyColumn) => ({ ...column, source: sources[column.table] ?? '' });
  const one = findingOf(pair, await measurePair(engine, at(pair.from), at(pair.to)), tables);
  const either = !pair.known && pair.from.table !== pair.to.table && isKeyLike(pair.from) && one.containment < 1;
  if (!either) return one;
  const back = { ...pair, from: pair.to, to: pair.from };
  const measured = await measurePair(engine, at(back.from), at(back.to));
  const other = findingOf(back, measured, { from: tables.to, to: tables.from });
  return other.containment > one.containment ? other : one;
}

function findingOf(
  pair: Pair,
  measured: Measured,
  tables: { readonly from: RelatedTable; readonly to: RelatedTable },
): Finding {
  const judged = judge(pair, measured);
  return {
    ...judged,
    from: endOf(pair.from),
    to: endOf(pair.to),
    fromSnapshot: tables.from.snapshot,
    toSnapshot: tables.to.snapshot,
    measured,
    proposed: judged.confidence >= PROPOSED_FROM.confidence && judged.containment >= PROPOSED_FROM.containment,
  };
}

const endOf = ({ table, tableName, column }: KeyColumn): RelationEnd => ({ table, tableName, column });
