// Texts of any length as names of columns, and names that objects of the language have.
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { plainName, synonymsOf } from '../../../lib/ingest/describe/synonyms.ts';
import { hintsAt, namedBy } from '../../../lib/ingest/pii/hints.ts';
import { countWords } from '../../../lib/ingest/search/postings.ts';
import { textOf } from '../../../lib/ingest/search/vectors/entry-text.ts';
import { entriesOf } from '../../../lib/ingest/search/entries.ts';
import { wordsOf } from '../../../lib/ingest/semantics/words.ts';
import { startIngestApp } from '../../support/ingest-app.ts';
import { aTable } from '../../support/search-index.ts';

const long = `cust_${'amount_'.repeat(10_000)}email`;
const read = long.slice(0, 1000);

it('of a text that stands as a name no more is read than of one of a thousand characters', () => {
  expect(wordsOf(long)).toEqual(wordsOf(read));
  expect(synonymsOf(long)).toEqual(synonymsOf(read));
  expect(hintsAt({ tag: 'EMAIL', hints: ['email'] }, namedBy(long, 't'))).toBe(false);
  expect(hintsAt({ tag: 'EMAIL', hints: ['amount'] }, namedBy(long, 't'))).toBe(true);
  const [one, other] = [aTable(1, 't', { [long]: {} }), aTable(1, 't', { [read]: {} })];
  expect(countWords(one, 0)).toEqual(countWords(other, 0));
  expect(entriesOf(one).map(textOf)).toEqual(entriesOf(other).map(textOf));
});

it('a name of a thousand characters is read whole, and one is never cut within a character', () => {
  expect(wordsOf(`${'x'.repeat(995)} mail`).at(-1)).toBe('mail');
  expect(wordsOf(`${'x'.repeat(997)} 𠀀`).at(-1)).toBe('𠀀');
  expect(wordsOf(`${'x'.repeat(998)} 𠀀`)).toEqual(['x'.repeat(998)]);
});

it('what objects of the language have is a word as any other', () => {
  for (const word of ['constructor', 'toString', 'hasOwnProperty', '__proto__', 'valueOf']) {
    const words = wordsOf(word).join(' ');
    expect(plainName(word)).toBe(words);
    expect(synonymsOf(word)).toEqual(words === word ? [] : [words]);
  }
});

it('a name is not compared by values where it is a text, which would read all of the names for each', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const values = Array.from({ length: 60 }, (_, at) => String(1000 + at * 37)).join('\n');
  await app.upload(dataset, 't.csv', `${'one '.repeat(300)}\n${values}\n`);
  await app.upload(dataset, 't.csv', `${'two '.repeat(300)}\n${values}\n`);
  await app.upload(dataset, 'u.csv', `${'one '.repeat(20)}\n${values}\n`);
  await app.upload(dataset, 'u.csv', `${'two '.repeat(20)}\n${values}\n`);
  const { t, u } = await app.tables(dataset);
  expect([t.changes.renamed ?? [], t.changes.candidates ?? [], t.changes.removed.length]).toEqual([[], [], 1]);
  expect([...(u.changes.renamed ?? []), ...(u.changes.candidates ?? [])]).toHaveLength(1);
});

it.each([
  ['CSV', 't.csv', (name: string) => `a,${name}\n1,2\n`],
  ['JSON', 't.json', (name: string) => JSON.stringify([{ a: 1, [name]: 2 }])],
])('a name that would fill answers is refused with its place: %s', async (_format, file, bodyOf) => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const taken = await app.upload(dataset, file, bodyOf('n'.repeat(131_070)));
  expect(taken.status).toBe('succeeded');
  const { error } = await app.upload(dataset, file, bodyOf('n'.repeat(131_071)));
  expect([error.code, error.detail]).toEqual([
    'CELL_TOO_LARGE',
    `The name of column 2 has 131073 bytes as JSON; the limit is 131072. It begins with "${'n'.repeat(50)}".`,
  ]);
  const { t } = await app.tables(dataset);
  expect(t.columnCount).toBe(2);
});

it('a type that would fill answers is refused, and one below that is taken', async () => {
  await using app = await startIngestApp();
  const dataset = await app.dataset();
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await using folder = await mkdtempDisposable(join(tmpdir(), 'millrace-types-'));
  const parquet = async (fields: number) => {
    const path = join(folder.path, `${fields}.parquet`);
    const struct = Array.from({ length: fields }, (_, at) => `'f${at}${'x'.repeat(1000)}': 1`).join(', ');
    await connection.run(`COPY (SELECT {${struct}} AS s) TO '${path}'`);
    return new Uint8Array(await readFile(path));
  };
  expect((await app.upload(dataset, 's.parquet', await parquet(500))).status).toBe('succeeded');
  const { error } = await app.upload(dataset, 's.parquet', await parquet(540));
  expect([error.code, error.detail]).toEqual([
    'UNSUPPORTED_SCHEMA',
    expect.stringMatching(
      /^The type of the column "s" has \d{6} bytes as SQL writes it; the limit is 524288\. It begins with "STRUCT\(/,
    ),
  ]);
  connection.closeSync();
  instance.closeSync();
});
