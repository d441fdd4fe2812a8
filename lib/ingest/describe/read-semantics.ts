// The meanings of a table's columns, with a look at the texts of some of its rows.
import type { StageContext } from '../../pipeline/stage.ts';
import type { Looked } from '../look/request.ts';
import { factsOf, holdsTexts, type ProfiledColumn } from '../semantics/read-facts.ts';
import { semanticTypesOf } from '../semantics/semantic-type.ts';
import type { Semantic } from '../semantics/types.ts';
import { freshFolder, withLocalParts } from '../stages/place.ts';
import type { ScanDeps } from '../stages/scans.ts';
import { partsWithin, rowsIn } from '../stages/some-parts.ts';
import type { KnownColumn } from './table-facts.ts';

/** Bytes of the parts of a published table that are fetched for the look. */
const LOOKED_BYTES = 512 * 2 ** 20;

type Texts = Looked['texts'];

/** In the order of the columns. `texts` is asked only where a column holds some. */
export async function readSemantics(
  known: readonly KnownColumn[],
  rows: number,
  texts: () => Promise<Texts>,
): Promise<Semantic[]> {
  const columns = known.map(profiledColumn);
  const looked = columns.some((column) => holdsTexts({ ...column, rows: column.rows ?? rows })) ? await texts() : [];
  return semanticTypesOf(factsOf(columns, rows, looked));
}

interface Published {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly parts: readonly { readonly key: string; readonly bytes: number; readonly rows: number }[];
}

/** Of a table that was looked at by no stage of this run; none where each of its parts is too large to fetch. */
export async function textsOfPublished(
  ctx: StageContext,
  { objects, limits }: ScanDeps,
  { columns, parts }: Published,
): Promise<Texts> {
  const some = partsWithin(parts, { bytes: LOOKED_BYTES, seed: ctx.ref.id });
  if (some.length === 0) return [];
  const workDir = await freshFolder(ctx, 'meanings');
  return withLocalParts(ctx, objects, some, async (parquetPaths) => {
    const { lookAtTable } = await import('../look/look-at-table.ts');
    const { signal } = ctx;
    const table = { parquetPaths, columns, rowCount: rowsIn(some), seed: ctx.ref.id };
    return (await lookAtTable({ ...table, workDir, limits, signal, wanted: new Set(['texts']) })).texts;
  });
}

/** Without a profile nothing is known of the values; every column may have some. */
const profiledColumn = ({ name, type, profile }: KnownColumn): ProfiledColumn => ({
  name,
  type,
  rows: profile?.rows,
  nulls: profile?.nulls ?? 0,
  distinct: profile?.distinct ?? Number.MAX_SAFE_INTEGER,
  min: profile?.min ?? null,
  max: profile?.max ?? null,
  lengths: profile?.lengths,
});
