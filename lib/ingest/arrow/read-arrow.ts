// Arrow IPC, as a file (Feather of the second version) or as a stream: its schema gives the types, its batches the rows, some of them at a time.
import { closeSync, openSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBValue } from '@duckdb/node-api';
import { Fault } from '../../core/fault.ts';
import type { Warning } from '../../core/warning.ts';
import type { EngineSettings } from '../engine/engine.ts';
import { nameColumns } from '../reading/names.ts';
import type { Mode, Reading } from '../rows/reading.ts';
import { type RowFile, writeRows, type WrittenRows } from '../rows/write-rows.ts';
import { warn } from '../warnings.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import type { LocalFile } from '../rows/local-file.ts';
import { bodyOf } from './body.ts';
import { learn } from './dictionary.ts';
import { damaged } from './flatbuffer.ts';
import { layoutsOf, type Layout } from './layout.ts';
import { type Cell, type Loader, type Loading, TooMuch } from './load.ts';
import { loaderOf } from './loaders.ts';
import { type BatchHead, type Message, messagesOf } from './messages.ts';
import type { ArrowField, ArrowType } from './schema.ts';

/** Memory for the rows at hand, and how many of them at most. */
const SLICE_BYTES = 48 * 2 ** 20;
const SLICE_ROWS = 16_384;

interface Open {
  readonly source: LocalFile;
  readonly scratch: number;
  readonly maxBytes: number;
}

function cellsOf(
  loading: Loading,
  loaders: readonly Loader[],
  layouts: readonly Layout[],
  from: number,
  to: number,
): Cell[] {
  loading.budget.left = SLICE_BYTES;
  return loaders.map(({ load }, column) => {
    loading.reading.column = column;
    const layout = layouts[column];
    if (layout === undefined) throw damaged('a column is missing.');
    return load(layout, from, to);
  });
}

/** Undefined where they take more than the budget. */
function cellsWithin(...asked: Parameters<typeof cellsOf>): Cell[] | undefined {
  try {
    return cellsOf(...asked);
  } catch (thrown) {
    if (thrown instanceof TooMuch) return undefined;
    throw thrown;
  }
}

/** Fewer rows where so many take too much, at least one. */
function* slicesOf(loading: Loading, loaders: readonly Loader[], layouts: readonly Layout[], rows: number) {
  let step = SLICE_ROWS;
  for (let from = 0; from < rows; ) {
    const to = Math.min(rows, from + step);
    const cells = cellsWithin(loading, loaders, layouts, from, to);
    step = cells === undefined ? (to - from) >> 1 : step;
    if (step === 0) throw tooLarge('A row, with the buffers that it leads to,', SLICE_BYTES + 1);
    if (cells === undefined) continue;
    yield { cells, rows: to - from };
    from = to;
  }
}

function* rowsOf(
  loading: Loading,
  loaders: readonly Loader[],
  batch: BatchHead,
  layouts: readonly Layout[],
): Generator<DuckDBValue[]> {
  const { reading } = loading;
  for (const { cells, rows } of slicesOf(loading, loaders, layouts, batch.rows)) {
    for (let row = 0; row < rows; row++) {
      yield cells.map((cell, column) => {
        reading.column = column;
        return cell(row);
      });
    }
  }
}

function teach(loading: Loading, message: Message & { kind: 'dictionary' }, { source, scratch, maxBytes }: Open): void {
  loading.budget.left = MAX_HELD_BYTES;
  try {
    const body = bodyOf(source, message.batch, scratch, maxBytes);
    learn(loading, message.id, message.batch, body, message.isDelta);
  } catch (thrown) {
    if (thrown instanceof TooMuch) throw tooLarge('A dictionary', MAX_HELD_BYTES + 1);
    throw thrown;
  }
}

function* allRows(
  open: Open,
  fields: readonly ArrowField[],
  loading: Loading,
  loaders: readonly Loader[],
): Generator<DuckDBValue[]> {
  for (const message of messagesOf(open.source)) {
    if (message.kind === 'dictionary') teach(loading, message, open);
    if (message.kind !== 'rows') continue;
    const { batch } = message;
    const body = bodyOf(open.source, batch, open.scratch, open.maxBytes);
    yield* rowsOf(loading, loaders, batch, layoutsOf(fields, batch, body));
  }
}

/** The schema, and how many rows the batches say they have. */
function outline(source: LocalFile): { fields: ArrowField[]; rows: number } {
  const messages = messagesOf(source);
  const first = messages.next();
  if (first.done === true || first.value.kind !== 'schema') throw damaged('it does not begin with a schema.');
  const { fields } = first.value;
  let rows = 0;
  for (const message of messages) {
    if (message.kind === 'schema') throw damaged('a second schema follows.');
    if (message.kind === 'rows') rows += message.batch.rows;
  }
  if (fields.length === 0) throw new Fault('EMPTY_FILE', 'The file has no columns.');
  return { fields, rows };
}

/** What the types of a field lose, wherever it is nested. */
function typeWarnings(field: ArrowField, column: string): Warning[] {
  const { type } = field;
  const own = ownWarning(type, column);
  return [...(own === undefined ? [] : [own]), ...field.children.flatMap((child) => typeWarnings(child, column))];
}

const isUtc = (zone: string): boolean => /^(UTC|Etc\/UTC|Z|\+00:?00)$/i.test(zone);

function ownWarning(type: ArrowType, column: string): Warning | undefined {
  if (type.kind === 'null') return warn('COLUMN_EMPTY', { column });
  if (type.kind === 'duration') return warn('DURATION_AS_NUMBER', { column, detail: `The unit is the ${type.unit}.` });
  if (type.kind === 'union') return warn('UNION_AS_STRUCT', { column });
  if (type.kind === 'interval') return warn('TYPE_AS_TEXT', { column, detail: 'They are intervals in ISO 8601.' });
  if (type.kind === 'decimal' && Math.max(type.precision, type.scale, type.precision - type.scale) > 38)
    return warn('TYPE_AS_TEXT', { column, detail: 'They are decimals of more than 38 digits.' });
  if (type.kind === 'timestamp' && type.zone !== undefined && type.zone !== '' && !isUtc(type.zone))
    return warn('ZONE_LEFT_OUT', { column, detail: `It is ${JSON.stringify(type.zone.slice(0, 64))}.` });
  return undefined;
}

/** Reads the file at `path` into Parquet. Faults: PARSE_ERROR, UNSUPPORTED_SCHEMA, ENCODING_INVALID, BLOCK_TOO_LARGE, and those of `writeRows`. */
export async function readArrow(
  settings: EngineSettings & { readonly path: string; readonly target: string },
): Promise<WrittenRows> {
  const { path, target, workDir, limits } = settings;
  const scratchPath = join(workDir, 'buffers');
  const [fd, scratch] = [openSync(path, 'r'), openSync(scratchPath, 'w+')];
  try {
    const source = { fd, size: statSync(path).size };
    const open: Open = { source, scratch, maxBytes: limits.maxDecompressedBytes };
    const { fields, rows } = outline(source);
    const { names, warnings } = nameColumns(
      fields.map(({ name }) => name),
      fields.length,
    );
    const file: RowFile = {
      path,
      names,
      guessedRows: rows,
      open: (reading: Reading, modes: readonly Mode[]) => {
        const loading: Loading = { reading, budget: { left: 0 }, dictionaries: new Map() };
        const loaders = fields.map((field, index) => loaderOf(loading, field, modes[index] ?? 'typed'));
        return { types: loaders.map(({ type }) => type), rows: allRows(open, fields, loading, loaders) };
      },
    };
    const written = await writeRows(settings, file, target);
    const lost = fields.flatMap((field, index) => typeWarnings(field, names[index] ?? ''));
    return { ...written, warnings: [...warnings, ...lost, ...written.warnings] };
  } finally {
    closeSync(fd);
    closeSync(scratch);
    await rm(scratchPath, { force: true });
  }
}
