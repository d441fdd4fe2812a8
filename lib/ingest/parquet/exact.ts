// A Parquet file led to what is stored in it by another footer, and written anew with some of its columns as text.
import { rename, rm, stat } from 'node:fs/promises';
import { asError } from '../../core/check.ts';
import { Fault } from '../../core/fault.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../engine/sql.ts';
import { rowGroupRows } from '../typing/row-groups.ts';
import { type Footer, footerOf, replaceFooter } from './footer.ts';
import { type InexactLeaves, plainFooter } from './inexact.ts';
import type { Affected, Plain } from './losses.ts';
import { defineTexts } from './readings.ts';

/** Of values in a row group. */
const GROUP_BYTES = 48 * 2 ** 20;

/** Puts the file at one path at another. */
export type Bring = (from: string, to: string) => Promise<void>;

function plainly(footer: Footer, leaves: InexactLeaves): Footer {
  try {
    return plainFooter(footer, leaves);
  } catch (thrown) {
    throw new Fault('PARSE_ERROR', `Parquet: ${asError(thrown).message}.`, { cause: thrown });
  }
}

/** Has `target` be the file at `path`, in which DuckDB reads what is stored in these leaves. Gives back how to undo that. Throws the Fault PARSE_ERROR. */
export async function bringPlain(
  { path, target, bring }: { readonly path: string; readonly target: string; readonly bring: Bring },
  leaves: InexactLeaves,
): Promise<() => Promise<void>> {
  const footer = await footerOf(path);
  const plain = plainly(footer, leaves);
  await bring(path, target);
  await replaceFooter(target, plain);
  return () => replaceFooter(target, footer);
}

interface Texts {
  readonly affected: readonly (Affected | undefined)[];
  /** The places of the columns that become text. */
  readonly asText: ReadonlySet<number>;
}

/** Writes `target`, which may be the plain file, anew with some columns as text. */
export async function writeTexts(
  engine: Engine,
  { path, columns, leaves, rowCount }: Plain & { readonly rowCount: number },
  { affected, asText }: Texts,
  target: string,
): Promise<void> {
  defineTexts(engine, leaves);
  const values = columns.map((column, place) => {
    const name = identifier(column.name);
    const found = affected[place];
    if (found === undefined) return name;
    return `${asText.has(place) ? found.asText : found.asRead} AS ${name}`;
  });
  const { size: bytes } = await stat(path);
  const group = rowGroupRows({ bytes, rows: rowCount, columns: columns.length });
  const options = `FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE ${group}, ROW_GROUP_SIZE_BYTES ${GROUP_BYTES}`;
  // One thread keeps the order of rows; asked to keep it, DuckDB counts no bytes.
  await engine.run('SET threads = 1; SET preserve_insertion_order = false');
  const exact = `${target}-exact`;
  try {
    const from = `read_parquet(${literal(path)})`;
    await engine.run(`COPY (SELECT ${values.join(', ')} FROM ${from}) TO ${literal(exact)} (${options})`);
    await rename(exact, target);
  } finally {
    await rm(exact, { force: true });
  }
}
