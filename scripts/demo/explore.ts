// What the service finds out by itself of a workbook that nobody tidied: which columns go together, what is personal, and where a word is.
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Api } from './api.ts';
import { relationsExpected, searched, tagsExpected } from './files.ts';
import { done, failed, heading, say, table } from './show.ts';

interface Place {
  readonly table: string;
  readonly column: string;
}
interface Relation {
  readonly from: Place;
  readonly to: Place;
  readonly measure: { readonly confidence: number; readonly containment: number; readonly cardinality: string };
}
interface Column {
  readonly name: string;
  readonly pii?: { readonly tag: string; readonly share: number; readonly source: string };
  readonly samples?: readonly string[];
}
interface Hit {
  readonly type: string;
  readonly table: { readonly name: string };
  readonly column?: { readonly name: string };
}

/** Whether all of it was found. */
export async function explore(api: Api, dataset: string): Promise<boolean> {
  const found = [await showRelations(api, dataset), await showTags(api, dataset), await showSearch(api, dataset)];
  return found.every(Boolean);
}

function verdict(got: readonly string[], expected: readonly string[], what: string): boolean {
  if (isDeepStrictEqual(got.toSorted(), expected.toSorted())) {
    done(what);
    return true;
  }
  failed(`expected: ${expected.join('; ')}`);
  return false;
}

async function showRelations(api: Api, dataset: string): Promise<boolean> {
  heading('Which columns of the workbook go together?');
  const { data } = await api.get<{ data: Relation[] }>(`/v1/datasets/${dataset}/relations?limit=100`);
  const own = data.filter(({ from }) => from.table.startsWith('harbour_tools'));
  const nameOf = ({ table: name, column }: Place) => `${name.replace('harbour_tools__', '')}."${column}"`;
  table(
    ['from', 'to', 'cardinality', 'values found', 'confidence'],
    own.map(({ from, to, measure }) => [
      nameOf(from),
      nameOf(to),
      measure.cardinality,
      `${Math.round(100 * measure.containment)} %`,
      measure.confidence,
    ]),
  );
  const got = own.map(({ from, to }) => `${nameOf(from)} → ${nameOf(to)}`);
  return verdict(got, relationsExpected, 'measured on the values, proposed for a person to approve');
}

async function showTags(api: Api, dataset: string): Promise<boolean> {
  heading('What in it is personal?');
  const { data } = await api.get<{ data: { id: string; name: string }[] }>(`/v1/datasets/${dataset}/tables?limit=100`);
  const customers = data.find(({ name }) => name === 'harbour_tools__Customers');
  const detail = await api.get<{ columns: Column[] }>(`/v1/datasets/${dataset}/tables/${customers?.id}`);
  table(
    ['column', 'tag', 'share', 'told by', 'samples kept'],
    detail.columns.map(({ name, pii, samples }) => [
      name,
      pii?.tag,
      pii?.share,
      pii?.source,
      samples?.slice(0, 3).join(', '),
    ]),
  );
  const got = detail.columns.flatMap(({ name, pii }) => (pii === undefined ? [] : [`${name}: ${pii.tag}`]));
  return verdict(got, tagsExpected, 'no sample, top value or range of a tagged column is kept');
}

const PATIENCE = 60_000;

async function showSearch(api: Api, dataset: string): Promise<boolean> {
  heading(`Where is "${searched.words}"?`);
  const started = performance.now();
  const path = `/v1/search?q=${encodeURIComponent(searched.words)}&dataset=${dataset}&limit=5`;
  let hits: Hit[] = [];
  // The index follows the publish, as a job of its own.
  while (hits.length === 0 && performance.now() - started < PATIENCE) {
    hits = (await api.get<{ data: Hit[] }>(path)).data;
    if (hits.length === 0) await pause(300);
  }
  table(
    ['found', 'in'],
    hits.map(({ column, table: { name } }) => [column?.name ?? 'the table itself', name]),
  );
  say(`  ${searched.words}: misspelled on purpose`);
  const best = hits[0]?.column?.name ?? hits[0]?.table.name;
  return verdict(best === undefined ? [] : [best], [searched.best], 'the best hit comes first');
}
