// Files as people publish them, read whole; the numbers were counted by other means (wc, jq, parquet metadata).
import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { withEngine } from '../../../lib/ingest/engine/engine.ts';
import { literal } from '../../../lib/ingest/engine/sql.ts';
import { readTable } from '../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits as limits, type TableRead } from '../../../lib/ingest/reading/types.ts';
import { inFolder } from './world.ts';

const data = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');

const reading = (
  name: string,
  sql: (table: string) => string,
): Promise<{ read: TableRead; answer: (string | null)[][] }> =>
  inFolder(async (folder) => {
    const workDir = await mkdtemp(join(folder, 'work-'));
    const path = join(folder, 'upload');
    await copyFile(join(data, name), path);
    const read = await readTable({ path, name, workDir, limits });
    const answer = await withEngine({ workDir, limits }, (engine) =>
      engine.texts(sql(`read_parquet(${literal(read.parquetPath)})`)),
    );
    return { read, answer };
  });

const schemaOf = ({ columns }: TableRead): string[] => columns.map(({ name, type }) => `${name} ${type}`);

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

describe('real files', () => {
  it('seattle-weather.csv', async () => {
    const { read, answer } = await reading(
      'seattle-weather.csv',
      (t) => `SELECT max(temp_max), count(*) FILTER (weather = 'rain') FROM ${t}`,
    );
    expect(schemaOf(read)).toEqual([
      'date DATE',
      'precipitation DECIMAL(18,1)',
      'temp_max DECIMAL(18,1)',
      'temp_min DECIMAL(18,1)',
      'wind DECIMAL(18,1)',
      'weather VARCHAR',
    ]);
    expect([read.rowCount, read.warnings]).toEqual([1461, []]);
    const lines = (await readFile(join(data, 'seattle-weather.csv'), 'utf8')).trimEnd().split('\n').slice(1);
    expect(answer).toEqual([['35.6', String(lines.filter((line) => line.trim().endsWith(',rain')).length)]]);
  });

  it('unemployment.tsv, whose rates have no digit before the point', async () => {
    const { read, answer } = await reading('unemployment.tsv', (t) => `SELECT rate FROM ${t} LIMIT 1`);
    expect(schemaOf(read)).toEqual(['id BIGINT', 'rate DECIMAL(18,3)']);
    expect(read.rowCount).toBe(3218);
    expect(answer).toEqual([['0.097']]);
  });

  it('movies.json, where a title may be a number', async () => {
    const { read, answer } = await reading('movies.json', (t) => `SELECT Title FROM ${t} LIMIT 1 OFFSET 21`);
    const movies = JSON.parse(await readFile(join(data, 'movies.json'), 'utf8')) as Record<string, unknown>[];
    expect(read.rowCount).toBe(movies.length);
    expect(read.columns.map(({ name }) => name)).toEqual(Object.keys(movies[0] ?? {}));
    expect(read.columns.find(({ name }) => name === 'IMDB Rating')?.type).toBe('DECIMAL(18,1)');
    expect(read.warnings.map(({ code, column }) => [code, column])).toEqual([['MIXED_JSON_TYPES', 'Title']]);
    expect(answer).toEqual([['1776']]);
  });

  it('zipcodes.csv, whose codes keep their zeros', async () => {
    const { read, answer } = await reading('zipcodes.csv', (t) => `SELECT min(zip_code) FROM ${t}`);
    expect(read.columns[0]).toEqual({ name: 'zip_code', type: 'VARCHAR' });
    expect(answer).toEqual([['00501']]);
    expect(read.warnings.map(({ code, column }) => [code, column])).toEqual([['KEPT_AS_TEXT', 'zip_code']]);
  }, 20_000);

  it('flights-3m.parquet, byte for byte', async () => {
    await inFolder(async (folder) => {
      const workDir = await mkdtemp(join(folder, 'work-'));
      const path = join(data, 'flights-3m.parquet');
      const read = await readTable({ path, name: 'flights-3m.parquet', workDir, limits });
      expect(read).toMatchObject({ rowCount: 3_000_000, warnings: [] });
      expect(schemaOf(read)).toEqual([
        'date TIMESTAMP',
        'delay BIGINT',
        'distance BIGINT',
        'origin VARCHAR',
        'destination VARCHAR',
      ]);
      expect(await hashOf(read.parquetPath)).toBe(await hashOf(path));
    });
  }, 20_000);
});
