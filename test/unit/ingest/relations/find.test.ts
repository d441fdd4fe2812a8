import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { defaultReadLimits as limits } from '../../../../lib/ingest/reading/types.ts';
import { findLimits } from '../../../../lib/ingest/relations/find.ts';
import { comparable } from '../../../../lib/ingest/relations/groups.ts';
import { inFolder } from '../world.ts';
import { arrow, rowsOf, type TablesWorld, tablesOf } from './world.ts';

const shop = {
  customers: rowsOf('id,name,country_code', 120, (n) => `${n},Customer ${n},${['DE', 'FR', 'ES'][n % 3]}`),
  orders: rowsOf('id,customer_id,total', 600, (n) => `${n},${n % 7 === 0 ? '' : (n % 110) + 1},${n}.50`),
  order_items: rowsOf('OrderID,line,productCode', 900, (n) => `${(n % 600) + 1},${n % 3},P-${n % 40}`),
  products: rowsOf('code,name', 40, (n) => `P-${n - 1},Thing ${n}`),
  countries: rowsOf('code,label', 3, (n) => `${['DE', 'FR', 'ES'][n - 1]},Country ${n}`),
  employees: rowsOf('employee_id,parent_employee_id', 60, (n) => `${n},${n === 1 ? '' : Math.ceil(n / 2)}`),
};

let store: TablesWorld;
beforeAll(async () => {
  store = await tablesOf(shop);
});
afterAll(() => store[Symbol.asyncDispose]());

describe('relations of a shop', () => {
  it('are found by names, and measured on the values', async () => {
    const world = store;
    const { findings, left } = await world.find();
    const proposed = findings.filter((each) => each.proposed);
    expect(proposed.map(arrow).sort()).toEqual([
      'customers.country_code → countries.code',
      'employees.parent_employee_id → employees.employee_id',
      'order_items.OrderID → orders.id',
      'order_items.productCode → products.code',
      'orders.customer_id → customers.id',
    ]);
    expect(left).toBe(0);
    const order = proposed.find((each) => arrow(each) === 'orders.customer_id → customers.id');
    expect(order).toMatchObject({ containment: 1, uniqueness: 1, cardinality: 'many-to-one' });
    expect(order?.explanation).toContain(
      'All of the 110 different values of orders.customer_id are found in customers.id.',
    );
    expect(order?.explanation).toContain('85 of 600 rows of orders have no value there.');
    expect(order?.confidence).toBeGreaterThan(0.9);
  });

  it('are less sure where few different values agree, and say so', async () => {
    const world = store;
    const { findings } = await world.find();
    const country = findings.find((each) => each.to.tableName === 'countries');
    expect(country?.confidence).toBeLessThan(0.8);
    expect(country?.explanation).toContain('may agree by chance');
  });

  it('are looked for between what is wanted and all others, and nothing else is fetched', async () => {
    const world = store;
    world.fetched.length = 0;
    const wanted = new Set(world.tables.filter(({ name }) => name === 'products').map(({ id }) => id));
    const { findings } = await world.find({ wanted });
    expect(findings.filter((each) => each.proposed).map(arrow)).toEqual(['order_items.productCode → products.code']);
    // `code` is a key of countries too.
    expect([...world.fetched].sort()).toEqual(['countries', 'order_items', 'products']);
  });
});

describe('a candidate', () => {
  it('whose values are not found is no proposal, however well its name fits', async () => {
    await using world = await tablesOf({
      customers: rowsOf('id', 50, (n) => `C${n}`),
      orders: rowsOf('customer_id,n', 50, (n) => `K${n},${n}`),
    });
    const { findings } = await world.find();
    expect(findings).toMatchObject([{ proposed: false, containment: 0 }]);
    expect(findings[0]?.confidence).toBeLessThan(0.1);
    expect(findings[0]?.explanation).toContain('None of the 50 different values of orders.customer_id is found');
  });

  it('of two counters that happen to be named id is none', async () => {
    await using world = await tablesOf({
      planets: rowsOf('id,mass', 100, (n) => `${n},${n}.1`),
      songs: rowsOf('id,title', 100, (n) => `${n},T${n}`),
    });
    expect((await world.find()).findings).toEqual([]);
  });

  it('is known whatever its names, and measured once more', async () => {
    await using world = await tablesOf({
      a: rowsOf('boss', 30, (n) => String(n)),
      b: rowsOf('who', 60, (n) => String(n)),
    });
    const [a, b] = world.tables;
    const pair = { from: { table: a?.id as never, column: 'boss' }, to: { table: b?.id as never, column: 'who' } };
    expect((await world.find()).findings).toEqual([]);
    const { findings } = await world.find({ known: [pair] });
    expect(findings).toMatchObject([{ containment: 1, cardinality: 'one-to-one' }]);
  });

  it('that was refused is not measured, in either direction', async () => {
    const world = store;
    const { findings } = await world.find({
      refused: ({ from, to }) => [from, to].some(({ column }) => column === 'customer_id'),
    });
    expect(findings.map(arrow)).not.toContain('orders.customer_id → customers.id');
  });

  it('refers from the column whose values are all found', async () => {
    await using world = await tablesOf({
      accounts: rowsOf('account_no,x', 100, (n) => `A${n},1`),
      limits: rowsOf('account_no,most', 40, (n) => `A${n},${n}`),
    });
    const { findings } = await world.find();
    expect(findings.map(arrow)).toEqual(['limits.account_no → accounts.account_no']);
  });

  it('of a number in one table and of its digits as text in the other is measured', async () => {
    await using world = await tablesOf({
      customers: rowsOf('id,x', 60, (n) => `${n},1`),
      orders: rowsOf('customer_id,y', 90, (n) => `${n === 90 ? 'unknown' : (n % 60) + 1},1`),
    });
    const { findings } = await world.find();
    expect(findings.map(arrow)).toEqual(['orders.customer_id → customers.id']);
    expect(findings[0]?.containment).toBeCloseTo(60 / 61, 3);
  });
});

describe('the bounds of a run', () => {
  it('leave out tables that are too large, and count the pairs that were not measured', async () => {
    const world = store;
    world.fetched.length = 0;
    const { findings, left } = await world.find({ bounds: { ...findLimits, bytes: 0 } });
    expect([findings, world.fetched]).toEqual([[], []]);
    expect(left).toBeGreaterThan(4);
  });

  it('leave the pairs with the weaker names', async () => {
    const world = store;
    const { findings, left } = await world.find({ bounds: { ...findLimits, pairs: 1 } });
    expect(findings).toHaveLength(1);
    expect(findings[0]?.confidence).toBeGreaterThan(0.6);
    expect(left).toBeGreaterThan(3);
  });
});

describe('very many values', () => {
  it('are looked at by a sample of them, which says so', async () => {
    const many = 120_000;
    await using world = await tablesOf({
      events: rowsOf('event_id,v', many, (n) => `E${n},1`),
      notes: rowsOf('event_id,w', many, (n) => `E${n + many / 2},1`),
    });
    const { findings } = await world.find();
    const [note] = findings;
    expect(note?.measured.sampled).toBe(true);
    expect(note?.measured.looked).toBeLessThan(110_000);
    expect(note?.containment).toBeCloseTo(0.5, 1);
    expect(note?.explanation).toContain('that were sampled');
  });
});

it('times are compared as they are, also those that timestamps do not reach', async () => {
  const far = [
    `SELECT unnest([DATE '5881580-07-10', DATE '2024-02-29', DATE '-5877641-06-25']) AS v`,
    `SELECT unnest([make_timestamptz(9223372036854775806), TIMESTAMPTZ '2024-02-29 00:00:00Z', NULL]) AS v`,
    `SELECT unnest([TIMESTAMP '2024-02-29', 'infinity'::TIMESTAMP]) AS v`,
  ];
  const types = ['DATE', 'TIMESTAMP WITH TIME ZONE', 'TIMESTAMP'];
  const found = await inFolder((workDir) =>
    withEngine({ workDir, limits }, (engine) =>
      Promise.all(
        far.map(async (rows, at) =>
          (await engine.texts(`SELECT ${comparable({ column: 'v', type: types[at] ?? '' })} FROM (${rows})`)).flat(),
        ),
      ),
    ),
  );
  expect(found).toEqual([
    ['5881580-07-10', '2024-02-29 00:00:00', '5877642-06-25 (BC)'],
    ['294247-01-10 04:00:54.775806', '2024-02-29 00:00:00', null],
    ['2024-02-29 00:00:00', 'infinity'],
  ]);
});
