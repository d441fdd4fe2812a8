// What an earlier release kept of a job, when a large file was one table, is read by this one.
import { expect, it } from 'vitest';
import { createParse } from '../../../../lib/ingest/stages/parse.ts';
import { received } from '../../../../lib/ingest/stages/outputs.ts';
import { derivedId } from '../../../../lib/core/ids.ts';
import { planTables } from '../../../../lib/ingest/chunks/plan-tables.ts';
import { inFolder } from '../world.ts';
import { opened } from './read-chunked.ts';

const csv = `n,code\n${Array.from({ length: 40 }, (_, n) => `${n},c${n}\n`).join('')}`;

it('text without a word on what it holds is one table, and one plan is that of it', async () => {
  await inFolder(async (outer) => {
    const text = await opened(outer, csv, { chunkBytes: 60 });
    const table = { table: derivedId('tbl', 't'), tableName: 't', sequence: 1 };
    const dataset = derivedId('ds', 'd');
    const kept = { ...text, format: 'csv', encoding: { name: 'utf-8', bomBytes: 0 }, table, options: {}, dataset };
    const { plans, tables } = await planTables(text.ctx, kept as never);
    expect(tables).toEqual([table]);
    const source = { name: 't.csv', format: 'csv', compression: 'none', bytes: csv.length, sha256: '' };
    const output = { dataset, objectKey: 'source', source, tables: [table], plan: plans[0], warnings: [] };
    const parse = createParse({ objects: text.objects, limits: text.limits });
    const read = await parse.run(text.ctx, received.output.parse(output));
    expect(read).toMatchObject({ tables: [{ rowCount: 40, columns: [{ type: 'BIGINT' }, { type: 'VARCHAR' }] }] });
  });
});
