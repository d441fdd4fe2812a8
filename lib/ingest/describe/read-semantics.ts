// The meanings of a table's columns, with a look at some of its rows where they can be fetched.
import { rm } from 'node:fs/promises';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Objects } from '../../core/objects.ts';
import { withEngine } from '../engine/engine.ts';
import { listOf } from '../engine/sql.ts';
import type { ReadLimits } from '../reading/types.ts';
import { type ProfiledColumn, readFacts } from '../semantics/read-facts.ts';
import { semanticTypesOf } from '../semantics/semantic-type.ts';
import type { Semantic } from '../semantics/types.ts';
import { freshFolder, localParts } from '../stages/place.ts';
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

/**
 * In the order of the columns. A table whose first part is too large to fetch is judged by names, types and profile. `index`: its place in the
 * file that is ingested, where an earlier stage may have left its parts; they are removed.
 */
export async function readSemantics(
  ctx: StageContext,
  { objects, limits }: Deps,
  table: Looked,
  index = 0,
): Promise<Semantic[]> {
  const { columns, rows, parts } = table;
  const profiled = columns.map(profiledColumn);
  // Of other types the profile says enough.
  const fetched = profiled.some(({ type, nulls }) => type === 'VARCHAR' && nulls < rows) ? firstOf(parts) : [];
  if (fetched.length === 0) return semanticTypesOf(profiled.map((column) => ({ ...column, rows })));
  const workDir = await freshFolder(ctx, 'meanings');
  const paths = (await localParts(ctx, objects, fetched, index)).map(({ path }) => path);
  try {
    const facts = await withEngine({ workDir, limits, signal: ctx.signal }, (engine) =>
      readFacts(engine, `read_parquet(${listOf(paths)})`, profiled, rows),
    );
    return semanticTypesOf(facts);
  } finally {
    // A pass goes on to the next table, whose parts may have the same names.
    await Promise.all(paths.map((path) => rm(path)));
  }
}

function firstOf(parts: Looked['parts']): Looked['parts'] {
  let bytes = 0;
  return parts.filter((part) => {
    bytes += part.bytes;
    return bytes <= LOOKED_BYTES;
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
