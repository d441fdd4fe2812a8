import { describe, expect, it } from 'vitest';
import { seededChance } from '../../../../lib/core/chance.ts';
import { entriesOf } from '../../../../lib/ingest/search/entries.ts';
import { matchesIn } from '../../../../lib/ingest/search/found.ts';
import { emptyIndex, type WorkspaceIndex } from '../../../../lib/ingest/search/index-file.ts';
import { readIndex } from '../../../../lib/ingest/search/index-read.ts';
import {
  aTable as table,
  changedIndex,
  entriesById,
  indexOf,
  tableIdOf as idOf,
} from '../../../support/search-index.ts';

const found = (index: WorkspaceIndex, query: string) => {
  const entries = entriesById(index);
  return index.text
    .search(query, () => true)
    .map(({ id }) => entries.get(id)?.column?.name ?? entries.get(id)?.of.name);
};

const shop = indexOf(
  table(1, 'Orders', {
    orderId: {},
    customer_email: { semanticType: 'email', synonyms: ['contact address'] },
    total_amount: { description: 'What the customer owes, with taxes.', synonyms: ['price', 'revenue'] },
    city: { samples: ['Oslo', 'Bergen', 'São Paulo'] },
    顧客名: { description: 'お客様の名前' },
  }),
  table(2, 'weather', { temperature: { description: 'Degrees Celsius' }, Größe: {}, wind_speed: {} }),
);

describe('search', () => {
  it.each([
    ['email', 'customer_email'],
    ['customer emial', 'customer_email'],
    ['custmer_email', 'customer_email'],
    ['orderid', 'orderId'],
    ['ORDER ID', 'orderId'],
    ['temprature', 'temperature'],
    ['reveneu', 'total_amount'],
    ['sao paulo', 'city'],
    ['grosse', 'Größe'],
    ['GRÖSSE', 'Größe'],
    ['顧客', '顧客名'],
    ['名', '顧客名'],
    ['名前', '顧客名'],
    ['windspeed', 'wind_speed'],
    ['celsius', 'temperature'],
    ['orders', 'Orders'],
    ['wether', 'weather'],
  ])('finds %s as %s first', (query, name) => {
    expect(found(shop, query)[0]).toBe(name);
  });

  it.each([
    // Two letters off: another word where the right one is nearer, and the right one where nothing is.
    ['salery', ['salary']],
    ['studnet', ['student']],
    ['temprature', ['temperature', 'temperatures']],
  ])('takes for %s what is nearest', (query, expected) => {
    const columns = { salary: {}, sales: {}, student: {}, temperature: {}, temperatures: {} };
    expect(found(indexOf(table(1, 't', columns)), query)).toEqual(expected);
  });

  it('finds nothing for words that are not there', () => {
    expect(found(shop, 'zebra')).toEqual([]);
    expect(found(shop, '')).toEqual([]);
    expect(found(shop, '!!!')).toEqual([]);
  });

  it('ranks a name above a description that has the word', () => {
    const index = indexOf(table(1, 't', { a: { description: 'the price of it' }, price: {} }));
    expect(found(index, 'price')).toEqual(['price', 'a']);
  });

  it('ranks the column of the table that is named too above its namesakes', () => {
    const index = indexOf(table(1, 'suppliers', { name: {} }), table(2, 'customers', { name: {} }));
    const [best] = index.text.search('customer name', () => true);
    expect(entriesById(index).get(best?.id ?? '')?.of.name).toBe('customers');
  });

  it('says which texts have it, and where', () => {
    const [best] = shop.text.search('amuont price', () => true);
    const entry = entriesById(shop).get(best?.id ?? '');
    const matches = entry && best ? matchesIn(entry, best.terms) : [];
    expect(
      matches.map(({ field, text, highlights }) => [field, ...highlights.map(([from, to]) => text.slice(from, to))]),
    ).toEqual([
      ['name', 'amount'],
      ['synonyms', 'price'],
    ]);
  });

  it('cuts a long text around its first match', () => {
    const index = indexOf(table(1, 't', { a: { description: `${'x '.repeat(300)}needle ${'y '.repeat(100)}` } }));
    const [best] = index.text.search('needle', () => true);
    const [match] = matchesIn(
      entriesById(index).get(best?.id ?? '') ?? entriesOf(table(1, 't', {}))[0]!,
      best?.terms ?? {},
    );
    expect(match?.text.length).toBeLessThanOrEqual(200);
    expect(match?.highlights.map(([from, to]) => match.text.slice(from, to))).toEqual(['needle']);
  });
});

describe('a version of the index', () => {
  it('answers the same after it was written and read', () => {
    const again = readIndex(Buffer.from(shop.lines.bytes));
    for (const query of ['customer emial', '名', 'degrees', 'price'])
      expect(again.text.search(query, () => true)).toEqual(shop.text.search(query, () => true));
  });

  it('that was patched a hundred times answers as one that was made at once', () => {
    const chance = seededChance(3);
    const words = ['order', 'customer', 'email', 'total', 'price', 'city', 'naïve', '顧客', 'Q1'];
    const pick = () => words[Math.floor(chance.next() * words.length)] ?? '';
    let index = emptyIndex();
    const now = new Map<number, ReturnType<typeof table>>();
    for (let turn = 0; turn < 100; turn++) {
      const at = Math.floor(chance.next() * 8);
      const gone = chance.next() < 0.25;
      const next = table(at, `${pick()}_${pick()}`, {
        [`${pick()}${turn}`]: { description: pick(), samples: [pick(), pick()] },
        [pick()]: {},
      });
      if (gone) now.delete(at);
      else now.set(at, next);
      index = changedIndex(index, [[idOf(at), gone ? undefined : next]]);
    }
    const fresh = indexOf(...now.values());
    const ranking = (from: WorkspaceIndex, query: string) =>
      from.text
        .search(query, () => true)
        .map(({ id, score }) => `${score.toFixed(6)} ${id}`)
        .sort();
    for (const query of [...words, 'custmer', 'pri', 'total city'])
      expect(ranking(index, query)).toEqual(ranking(fresh, query));
    expect([...entriesById(index).keys()].sort()).toEqual([...entriesById(fresh).keys()].sort());
  });
});

describe('entries', () => {
  it('hold no value of a column of personal data', () => {
    const { columns } = table(1, 't', {
      mail: { pii: 'EMAIL', samples: ['a@b.example'] },
      city: { pii: 'NONE', samples: ['Oslo'] },
    });
    expect(columns.map(({ samples }) => samples)).toEqual([undefined, ['Oslo']]);
  });
});
