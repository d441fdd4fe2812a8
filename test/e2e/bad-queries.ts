import { beforeAll, expect, it } from 'vitest';
import { outcome } from './client.ts';
import type { World } from './world.ts';

const refused: readonly (readonly [string, string])[] = [
  ['DROP TABLE one', 'SQL_NOT_SELECT'],
  ['SELECT 1; SELECT 2', 'SQL_NOT_SELECT'],
  ['INSERT INTO one VALUES (2)', 'SQL_NOT_SELECT'],
  ["COPY one TO '/tmp/one.csv'", 'SQL_NOT_SELECT'],
  ["ATTACH '/tmp/other.db' AS other", 'SQL_NOT_SELECT'],
  ['INSTALL httpfs', 'SQL_NOT_SELECT'],
  ['LOAD httpfs', 'SQL_NOT_SELECT'],
  ["SET memory_limit = '100GB'", 'SQL_NOT_SELECT'],
  ["SELECT * FROM read_csv('/etc/passwd')", 'SQL_FORBIDDEN'],
  ["SELECT * FROM '/etc/passwd'", 'SQL_FORBIDDEN'],
  ["SELECT content FROM read_text('/etc/passwd')", 'SQL_FORBIDDEN'],
  ["SELECT getenv('AWS_SECRET_ACCESS_KEY')", 'SQL_FORBIDDEN'],
  ['SELEC 1', 'SQL_INVALID'],
  ['SELECT nothing FROM one', 'SQL_INVALID'],
  ['SELECT * FROM elsewhere', 'SQL_INVALID'],
];

export function badQueries(world: World): void {
  let dataset = '';
  beforeAll(async () => {
    dataset = await world.client.newDataset(`queries-${world.run}`);
    await world.client.ingest(dataset, 'one.csv', `a\n${Array.from({ length: 2000 }, (_, n) => n).join('\n')}\n`);
  });

  it.each(refused)('%s is refused', async (sql, code) => {
    const answer = await world.client.query(dataset, sql);
    expect([outcome(answer), answer.body.next]).toEqual([`422 ${code}`, expect.any(String)]);
  });

  it('a query that runs for ever is stopped', async () => {
    const sql = 'SELECT sum(w.a * x.a % (y.a + 1)) FROM one w, one x, one y, one z';
    expect(outcome(await world.client.query(dataset, sql))).toBe('422 QUERY_TIMEOUT');
  });

  it('a query of billions of rows answers the first of them, and says so', async () => {
    const { status, body } = await world.client.query(dataset, 'SELECT x.a FROM one x, one y, one z');
    expect(status).toBe(200);
    expect(body).toMatchObject({ truncated: true, rowCount: body.rows.length });
    expect(body.rowCount).toBeLessThanOrEqual(10_000);
  });

  it('the service goes on after all of that', async () => {
    const { body } = await world.client.query(dataset, 'SELECT count(*) FROM one');
    expect(body.rows.map((row: unknown[]) => row.map(String))).toEqual([['2000']]);
  });
}
