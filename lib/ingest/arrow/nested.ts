// Loaders of lists, structs, maps, unions and runs: each loads of its children what its rows lead to.
import { type DuckDBType, VARCHAR } from '@duckdb/node-api';
import { must } from '../../core/check.ts';
import { fieldNames, inside, listOf, listType, mapOf, mapType, structOf, structType } from '../rows/nested.ts';
import type { Mode } from '../rows/reading.ts';
import { damaged } from './flatbuffer.ts';
import type { Layout } from './layout.ts';
import {
  type Cell,
  items,
  type Load,
  type Loader,
  type Loading,
  type Ranges,
  ranges,
  validity,
  viewRanges,
} from './load.ts';
import type { ArrowField } from './schema.ts';

type LoaderOf = (loading: Loading, field: ArrowField, mode: Mode) => Loader;

const child = (layout: Layout, index: number): Layout => must(layout.children[index], 'a child');

/** Rows that a child is asked for must be there. */
function within(layout: Layout, from: number, to: number): Layout {
  if (from < 0 || to > layout.rows)
    throw damaged(`row ${to} of a nested column is asked for, which has ${layout.rows}.`);
  return layout;
}

function listLoader(
  loading: Loading,
  item: Loader,
  mode: Mode,
  find: (layout: Layout, from: number, to: number) => Ranges,
): Loader {
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const { first, last, of } = find(layout, from, to);
    const cell = item.load(within(child(layout, 0), first, last), first, last);
    return (row) => {
      if (!isValid(row)) return null;
      const { start, end } = of(row);
      return listOf(loading.reading, mode, end - start, (at) => cell(start + at));
    };
  };
  return { type: listType(item.type, mode), load };
}

function fixedRanges(length: number) {
  return (_: Layout, from: number, to: number): Ranges => ({
    first: from * length,
    last: to * length,
    of: (row) => ({ start: row * length, end: (row + 1) * length }),
  });
}

const childrenOf = (fields: readonly Loader[], layout: Layout, from: number, to: number): Cell[] =>
  fields.map(({ load }, index) => load(within(child(layout, index), from, to), from, to));

function structLoader(loading: Loading, field: ArrowField, mode: Mode, fields: readonly Loader[]): Loader {
  const names = fieldNames(field.children.map(({ name }) => name));
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const cells = childrenOf(fields, layout, from, to);
    const made = (row: number) =>
      structOf(
        names,
        cells.map((cell) => cell(row)),
        mode,
      );
    return (row) => (isValid(row) ? made(row) : null);
  };
  return { type: structType(names, typesOf(fields), mode), load };
}

const typesOf = (fields: readonly Loader[]): DuckDBType[] => fields.map(({ type }) => type);

function mapLoader(loading: Loading, [key, value]: readonly Loader[], mode: Mode): Loader {
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const { first, last, of } = ranges(loading, layout, 32, from, to);
    const entries = within(child(layout, 0), first, last);
    const [keys, values] = childrenOf([must(key, 'keys'), must(value, 'values')], entries, first, last);
    const pair = (at: number) => [must(keys, 'keys')(at), must(values, 'values')(at)] as const;
    return (row) => {
      if (!isValid(row)) return null;
      const { start, end } = of(row);
      loading.reading.spend(16 * (end - start));
      return mapOf(
        loading.reading,
        mode,
        Array.from({ length: end - start }, (_, at) => pair(start + at)),
      );
    };
  };
  return { type: mapType(must(key, 'keys').type, must(value, 'values').type, mode), load };
}

/** A struct with a field for each type; the field of a value's own type has it. */
function unionLoader(loading: Loading, field: ArrowField, mode: Mode, fields: readonly Loader[]): Loader {
  const { type } = field;
  if (type.kind !== 'union') throw damaged('a union is none.');
  const names = fieldNames(field.children.map(({ name }, index) => (name === '' ? `type_${index}` : name)));
  const places = new Map(field.children.map((_, index) => [type.ids[index] ?? index, index]));
  const load: Load = (layout, from, to) => {
    const isValid = validity(loading, layout, from, to);
    const ids = items(loading, layout, 0, 1, from, to);
    const offsets = type.mode === 'dense' ? items(loading, layout, 1, 4, from, to) : undefined;
    const placeOf = (row: number): number => {
      const place = places.get(ids.getInt8(row));
      if (place === undefined)
        throw damaged(`a value is of the type ${ids.getInt8(row)}, which its union does not have.`);
      return place;
    };
    const cells =
      offsets === undefined ? childrenOf(fields, layout, from, to) : dense(layout, fields, { placeOf, offsets });
    return (row) => {
      if (!isValid(row)) return null;
      const place = placeOf(row);
      const value = must(cells[place], 'a child')(row);
      return structOf(
        names,
        names.map((_, index) => (index === place ? value : null)),
        mode,
      );
    };
  };
  return { type: structType(names, typesOf(fields), mode), load };
}

interface Dense {
  readonly placeOf: (row: number) => number;
  readonly offsets: DataView;
}

/** Each value stands at a place of its own in the child of its type. */
function dense(layout: Layout, fields: readonly Loader[], { placeOf, offsets }: Dense): Cell[] {
  const spans = fields.map(() => ({ first: Number.POSITIVE_INFINITY, last: 0 }));
  for (let row = 0; row < offsets.byteLength / 4; row++) {
    const [span, offset] = [must(spans[placeOf(row)], 'a child'), offsets.getInt32(4 * row, true)];
    [span.first, span.last] = [Math.min(span.first, offset), Math.max(span.last, offset + 1)];
  }
  return fields.map(({ load }, index) => {
    const { first, last } = must(spans[index], 'a span');
    if (last === 0) return () => null;
    const cell = load(within(child(layout, index), first, last), first, last);
    return (row) => cell(offsets.getInt32(4 * row, true) - first);
  });
}

/** Runs of equal values, each with the row behind its last. */
function runsLoader(loading: Loading, field: ArrowField, value: Loader): Loader {
  const ends = field.children[0]?.type;
  const bits = ends?.kind === 'int' ? ends.bits : 0;
  const endOf = (view: DataView, run: number): number => {
    if (bits === 16) return view.getInt16(2 * run, true);
    return bits === 32 ? view.getInt32(4 * run, true) : Number(view.getBigInt64(8 * run, true));
  };
  const load: Load = (layout, from, to) => {
    const { rows: runs } = child(layout, 0);
    const view = items(loading, child(layout, 0), 0, bits / 8, 0, runs);
    /** The first run that ends behind the row. */
    const runAt = (row: number): number => {
      let [low, high] = [0, runs];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (endOf(view, middle) > row) high = middle;
        else low = middle + 1;
      }
      if (low === runs) throw damaged('its runs end before its rows.');
      return low;
    };
    if (from === to) return () => null;
    const [first, last] = [runAt(from), runAt(to - 1) + 1];
    const cell = value.load(within(child(layout, 1), first, last), first, last);
    return (row) => {
      const run = runAt(from + row);
      if (run < first || run >= last) throw damaged('its runs are not in order.');
      return cell(run - first);
    };
  };
  return { type: value.type, load };
}

export function nestedLoader(loading: Loading, field: ArrowField, mode: Mode, loaderOf: LoaderOf): Loader {
  const { type, children } = field;
  const only = (index: number): ArrowField => must(children[index], 'a child');
  const of = (one: ArrowField, as = inside(mode)): Loader => loaderOf(loading, one, as);
  switch (type.kind) {
    case 'list': {
      const { offsets, view } = type;
      return listLoader(loading, of(only(0)), mode, (layout, from, to) =>
        (view ? viewRanges : ranges)(loading, layout, offsets, from, to),
      );
    }
    case 'fixed list':
      return listLoader(loading, of(only(0)), mode, fixedRanges(type.length));
    case 'struct':
      return structLoader(
        loading,
        field,
        mode,
        children.map((one) => of(one)),
      );
    case 'map':
      return mapLoader(
        loading,
        only(0).children.map((one) => of(one)),
        mode,
      );
    case 'union':
      return unionLoader(
        loading,
        field,
        mode,
        children.map((one) => of(one)),
      );
    case 'runs':
      return runsLoader(loading, field, of(only(1), mode));
    default:
      return { type: VARCHAR, load: () => () => null };
  }
}
