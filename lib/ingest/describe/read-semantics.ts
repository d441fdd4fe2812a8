// The meanings of a table's columns, with a look at some of its rows where they can be fetched.
import type { StageContext } from '../../pipeline/stage.ts';
import type { Objects } from '../../core/objects.ts';
import { withEngine } from '../engine/engine.ts';
import { listOf } from '../engine/sql.ts';
import type { ReadLimits } from '../reading/types.ts';
import { type ProfiledColumn, readFacts } from '../semantics/read-facts.ts';
import { semanticTypesOf } from '../semantics/semantic-type.ts';
import type { Semantic } from '../semantics/types.ts';
import { freshFolder, localCopy } from '../stages/place.ts';
import type { KnownColumn } from './table-facts.ts';

/** Bytes of parts that are fetched for the look: the first ones of a table, as far as they fit. */
export const LOOKED_BYTES = 512 * 2 ** 20;

interface Deps {
  readonly objects: Objects;
  readonly limits: ReadLimits;
}

interface Looked {
  readonly columns: readonly KnownColumn[];
  readonly rows: number;
  readonly parts: readonly { readonly key: string; readonly bytes: number; readonly rows: number }[];
}

/** In the order of the columns. A table whose first part is too large to fetch is judged by names, types and profile. */
export async function readSemantics(ctx: StageContext, { objects, limits }: Deps, table: Looked): Promise<Semantic[]> {
  const { columns, rows, parts } = table;
  const profiled = columns.map(profiledColumn);
  // Of other types the profile says enough.
  const fetched = profiled.some(({ type, nulls }) => type === 'VARCHAR' && nulls < rows) ? firstOf(parts) : [];
  if (fetched.length === 0) return semanticTypesOf(profiled.map((column) => ({ ...column, rows })));
  const workDir = await freshFolder(ctx, 'meanings');
  const paths: string[] = [];
  for (const [index, { key }] of fetched.entries())
    paths.push(await localCopy(ctx, objects, key, `meanings/part-${index}.parquet`));
  const facts = await withEngine({ workDir, limits, signal: ctx.signal }, (engine) =>
    readFacts(engine, `read_parquet(${listOf(paths)})`, profiled, rows),
  );
  await freshFolder(ctx, 'meanings');
  return semanticTypesOf(facts);
}

function firstOf(parts: Looked['parts']): Looked['parts'] {
  let bytes = 0;
  return parts.filter((part) => {
    bytes += part.bytes;
    return bytes <= LOOKED_BYTES && part.rows > 0;
  });
}

/** Without a profile nothing is known of the values; every column may have some. */
const profiledColumn = ({ name, type, profile }: KnownColumn): ProfiledColumn => ({
  name,
  type,
  nulls: profile?.nulls ?? 0,
  distinct: profile?.distinct ?? Number.MAX_SAFE_INTEGER,
  min: profile?.min ?? null,
  max: profile?.max ?? null,
  lengths: profile?.lengths,
});
