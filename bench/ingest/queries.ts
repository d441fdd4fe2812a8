// What a query over HTTP takes longer than the same in a DuckDB of this process, over the same Parquet. Both take turns.
import { glob } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { must } from '../../lib/core/check.ts';
import { systemClock } from '../../lib/core/time.ts';
import { identifier, listOf } from '../../lib/ingest/engine/sql.ts';

const TURNS = 9;

const median = (values: readonly number[]): number =>
  must(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)], 'a value');

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = systemClock.monotonic();
  await work();
  return systemClock.monotonic() - start;
}

interface Queried {
  readonly table: string;
  readonly id: string;
  /** Where the service keeps its objects. */
  readonly directory: string;
  readonly ask: (sql: string) => Promise<unknown>;
}

/** ms, of the query for which it is the most; medians of turns after a first one that does not count. */
export async function queryOverhead({ table, id, directory, ask }: Queried): Promise<number> {
  const parts: string[] = [];
  for await (const path of glob(`${directory}/**/tables/${id}/**/part-*.parquet`)) parts.push(path);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const name = identifier(table);
  await connection.run(`CREATE VIEW ${name} AS FROM read_parquet(${listOf(parts)})`);
  const columns = (await connection.runAndReadAll(`DESCRIBE ${name}`)).getRows();
  const words = identifier(
    String(
      must(
        columns.find(([, type]) => type === 'VARCHAR'),
        'a column of text',
      )[0],
    ),
  );
  const statements = [
    `SELECT count(*) AS n FROM ${name}`,
    `SELECT * FROM ${name} LIMIT 100`,
    `SELECT ${words}, count(*) AS n FROM ${name} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 10`,
  ];
  const overheads: number[] = [];
  for (const sql of statements) {
    const [bare, ours]: [number[], number[]] = [[], []];
    for (let turn = 0; turn <= TURNS; turn++) {
      bare.push(await timed(async () => (await connection.runAndReadAll(sql)).getRowObjectsJson()));
      ours.push(await timed(() => ask(sql)));
    }
    overheads.push(median(ours.slice(1)) - median(bare.slice(1)));
  }
  connection.closeSync();
  instance.closeSync();
  return Math.max(...overheads);
}
