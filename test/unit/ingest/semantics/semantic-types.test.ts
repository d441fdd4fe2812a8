import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lookAtTable } from '../../../../lib/ingest/look/look-at-table.ts';
import { readTable } from '../../../../lib/ingest/reading/read-table.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import { factsOf } from '../../../../lib/ingest/semantics/read-facts.ts';
import { semanticTypeOf, semanticTypesOf } from '../../../../lib/ingest/semantics/semantic-type.ts';
import { semanticTypes } from '../../../../lib/ingest/semantics/types.ts';
import { inFolder } from '../world.ts';
import { type Sample, tables } from './columns.ts';

const quoted = (value: string): string => (value === '' ? '' : `"${value.replaceAll('"', '""')}"`);

function csvOf(columns: readonly Sample[]): string {
  const values = columns.map(([, , text]) => text.split('|'));
  const rows = (values[0] ?? []).map((_, row) => values.map((column) => quoted(column[row] ?? '')).join(','));
  return `${[columns.map(([name]) => quoted(name)).join(','), ...rows].join('\n')}\n`;
}

const semanticsOf = (columns: readonly Sample[]) =>
  inFolder(async (folder) => {
    const path = join(folder, 'upload');
    await writeFile(path, csvOf(columns));
    const workDir = await mkdtemp(join(folder, 'work-'));
    const read = await readTable({ path, name: 'table.csv', workDir, limits });
    const { profile, texts } = await lookAtTable({
      parquetPaths: [read.parquetPath],
      columns: read.columns,
      rowCount: read.rowCount,
      seed: 'any',
      wanted: new Set(['profile', 'texts']),
      workDir,
      limits,
    });
    return semanticTypesOf(factsOf(profile, read.rowCount, texts));
  });

describe('semantic types of columns as people have them', () => {
  it.each(Object.keys(tables))('%s', async (table) => {
    const columns = tables[table] ?? [];
    const found = await semanticsOf(columns);
    const say = (type: string | undefined, index: number) => `${columns[index]?.[0]}: ${type}`;
    expect(found.map(({ type }, index) => say(type, index))).toEqual(
      columns.map(([, type], index) => say(type, index)),
    );
  });

  it('are tried on at least 60 columns, and know 49 meanings', () => {
    expect(Object.values(tables).flat().length).toBeGreaterThanOrEqual(60);
    expect(new Set(semanticTypes).size).toBe(49);
  });
});

const texts = (name: string, values: readonly string[]) =>
  semanticTypeOf({ name, type: 'VARCHAR', rows: values.length, nulls: 0, distinct: new Set(values).size, values });

describe('a semantic type', () => {
  it('says which share of the values fits, and that the name agrees', () => {
    const values = ['a@example.com', 'b@example.com', 'c@example.com', 'unknown'];
    expect(texts('mail', values)).toEqual({ type: 'email', by: 'name and values', share: 0.75, sampled: 4 });
    expect(texts('x', values).type).toBe('text');
    expect(texts('x', values.slice(0, 3))).toEqual({ type: 'email', by: 'values', share: 1, sampled: 3 });
  });

  it('needs the check digits of an IBAN, not its form alone', () => {
    expect(texts('account', ['DE89370400440532013000']).type).toBe('iban');
    expect(texts('account', ['DE88370400440532013000']).type).not.toBe('iban');
  });

  it('is not taken from one short word that is also a code', () => {
    expect(texts('answer', ['NO', 'NO', 'NO']).type).not.toBe('country_code');
  });
});
