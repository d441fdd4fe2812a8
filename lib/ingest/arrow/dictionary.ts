// Fields whose values stand in a dictionary: a value is made once, and found by its place.
import { type DuckDBValue, VARCHAR } from '@duckdb/node-api';
import type { Mode } from '../rows/reading.ts';
import { MAX_HELD_BYTES, tooLarge } from '../rows/held.ts';
import type { Body } from './body.ts';
import { damaged } from './flatbuffer.ts';
import { type Dictionary, items, type Load, type Loader, type Loading, validity } from './load.ts';
import { layoutsOf } from './layout.ts';
import type { BatchHead } from './messages.ts';
import type { ArrowField, ArrowType } from './schema.ts';

type LoaderOf = (loading: Loading, field: ArrowField, mode: Mode) => Loader;

function placeOf(index: ArrowType): { width: number; get: (view: DataView, at: number) => number } {
  if (index.kind !== 'int') throw damaged('a dictionary is indexed by something else than whole numbers.');
  const { bits, signed } = index;
  if (bits === 64) return { width: 8, get: (view, at) => Number(view.getBigInt64(at, true)) };
  if (bits === 32)
    return { width: 4, get: (view, at) => (signed ? view.getInt32(at, true) : view.getUint32(at, true)) };
  if (bits === 16) return { width: 2, get: (view, at) => view.getUint16(at, true) };
  return { width: 1, get: (view, at) => view.getUint8(at) };
}

export function dictionaryLoader(loading: Loading, field: ArrowField, mode: Mode, loaderOf: LoaderOf): Loader {
  const { id, index } = field.dictionary ?? { id: 0, index: { kind: 'null' } };
  const loader = loaderOf(loading, { ...field, dictionary: undefined }, mode);
  const dictionary: Dictionary = { loader, field, values: [], sizes: [], misfits: new Map() };
  loading.dictionaries.set(id, [...(loading.dictionaries.get(id) ?? []), dictionary]);
  const { width, get } = placeOf(index);
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const view = items(loading, layout, 0, width, from, to);
    return (row) => (isValid(row) ? valueAt(loading, dictionary, get(view, row * width)) : null);
  };
  return { type: mode === 'typed' ? loader.type : VARCHAR, load };
}

function valueAt({ reading }: Loading, { values, sizes, misfits }: Dictionary, place: number): DuckDBValue {
  const value = values[place];
  if (value === undefined) throw damaged(`a value has the place ${place} in a dictionary of ${values.length}.`);
  const misfit = misfits.get(place);
  if (misfit !== undefined) return reading.note(misfit);
  reading.spend(sizes[place] ?? 0);
  return value;
}

/** Takes a dictionary of the file for all fields that use it; `delta`: its values follow those that are there. */
export function learn(loading: Loading, id: number, batch: BatchHead, body: Body, isDelta: boolean): void {
  for (const dictionary of loading.dictionaries.get(id) ?? []) {
    if (!isDelta) Object.assign(dictionary, { values: [], sizes: [], misfits: new Map() });
    const [layout] = layoutsOf([{ ...dictionary.field, dictionary: undefined }], batch, body);
    if (layout === undefined) continue;
    if (batch.rows > MAX_HELD_BYTES / 8) throw tooLarge('A dictionary', 8 * batch.rows);
    addValues(loading, dictionary, dictionary.loader.load(layout, 0, batch.rows), batch.rows);
  }
}

/** Sizes and misfits are noted aside, since no row has met them yet. */
function addValues(
  { reading }: Loading,
  dictionary: Dictionary,
  cell: (row: number) => DuckDBValue,
  rows: number,
): void {
  let held = 0;
  for (let row = 0; row < rows; row++) {
    const { value, bytes, misfit } = reading.apart(() => cell(row));
    if (misfit !== undefined) dictionary.misfits.set(dictionary.values.length, misfit);
    dictionary.values.push(value);
    dictionary.sizes.push(bytes);
    held += bytes + 8;
    if (held > MAX_HELD_BYTES) throw tooLarge('A dictionary', held);
  }
}
