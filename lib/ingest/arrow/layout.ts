// Which buffers of a batch belong to which field: Arrow lists them in the order of the fields, each before its children.
import type { Body } from './body.ts';
import { damaged } from './flatbuffer.ts';
import type { BatchHead, Region } from './messages.ts';
import type { ArrowField, ArrowType } from './schema.ts';

/** The buffers of one field in one batch. */
export interface Layout {
  readonly body: Body;
  readonly rows: number;
  /** The bitmap of values that are there; empty where all are. */
  readonly validity: Region;
  /** The others, in Arrow's order. */
  readonly buffers: readonly Region[];
  /** Of views: where long values stand. */
  readonly variadic: readonly Region[];
  readonly children: readonly Layout[];
}

const NONE: Region = { offset: 0, length: 0 };

/** How many buffers a type has beside the bitmap. */
function buffersOf(type: ArrowType): number {
  if (type.kind === 'text' || type.kind === 'binary') return type.offsets === 'view' ? 1 : 2;
  if (type.kind === 'list') return type.view ? 2 : 1;
  if (type.kind === 'union') return type.mode === 'dense' ? 2 : 1;
  if (type.kind === 'map') return 1;
  return ['null', 'struct', 'fixed list', 'runs'].includes(type.kind) ? 0 : 1;
}

const isView = (type: ArrowType): boolean =>
  (type.kind === 'text' || type.kind === 'binary') && type.offsets === 'view';

/** Of each field, in order. Throws the Fault PARSE_ERROR where nodes or buffers are too few or too many. */
export function layoutsOf(fields: readonly ArrowField[], batch: BatchHead, body: Body): Layout[] {
  let [node, buffer, view] = [0, 0, 0];
  const next = (): Region => {
    const region = body.buffers[buffer++];
    if (region === undefined) throw damaged('a batch has fewer buffers than its fields need.');
    return region;
  };
  const layout = (field: ArrowField): Layout => {
    const type = field.dictionary?.index ?? field.type;
    const rows = batch.nodes[node++];
    if (rows === undefined) throw damaged('a batch has fewer nodes than there are fields.');
    const hasBitmap = !['null', 'runs'].includes(type.kind) && (type.kind !== 'union' || batch.unionsHaveBitmap);
    const validity = hasBitmap ? next() : NONE;
    const buffers = Array.from({ length: buffersOf(type) }, next);
    const variadic = isView(type) ? Array.from({ length: bounded(batch, view++) }, next) : [];
    const children = field.dictionary === undefined ? field.children.map(layout) : [];
    return { body, rows, validity, buffers, variadic, children };
  };
  const layouts = fields.map(layout);
  for (const { rows } of layouts)
    if (rows !== batch.rows) throw damaged(`a column has ${rows} rows in a batch of ${batch.rows}.`);
  if (buffer !== body.buffers.length || node !== batch.nodes.length)
    throw damaged('a batch has more buffers than its fields need.');
  return layouts;
}

function bounded({ variadic, buffers }: BatchHead, view: number): number {
  const count = variadic[view] ?? 0;
  if (count > buffers.length) throw damaged('a batch has fewer buffers than its fields need.');
  return count;
}
