import { describe, expect, it } from 'vitest';
import type { DescribedColumn } from '../../../../lib/ingest/describe/facts.ts';
import { describeColumn, describeTable, ruleDescriber } from '../../../../lib/ingest/describe/rules.ts';
import { synonymsOf } from '../../../../lib/ingest/describe/synonyms.ts';

const column = (more: Partial<DescribedColumn>): DescribedColumn => ({
  name: 'unit_price',
  type: 'DECIMAL(18,2)',
  semantic: { type: 'amount', by: 'name' },
  nulls: 0,
  distinct: 40,
  min: '0.05',
  max: '25.00',
  values: ['0.35', '2.10'],
  personal: false,
  ...more,
});

describe('a description by rule', () => {
  it('says what a column is, from where that is known, and how its values lie', () => {
    expect(describeColumn(column({}), 100).text).toBe(
      'By its name, an amount of money (unit price). From 0.05 to 25.00. It has 40 different values.',
    );
    const status = column({
      name: 'order_status',
      type: 'VARCHAR',
      semantic: { type: 'enum', by: 'values' },
      nulls: 25,
      distinct: 2,
      min: 'open',
      max: 'paid',
      values: ['paid', 'open'],
    });
    expect(describeColumn(status, 100).text).toBe(
      'By its values, one of a few values (order status). Its values are paid, open. 25 % of the rows have no value.',
    );
  });

  it('says that a share of the values only fits', () => {
    const mail = column({
      name: 'mail',
      type: 'VARCHAR',
      semantic: { type: 'email', by: 'name and values', share: 0.875 },
    });
    expect(describeColumn(mail, 40).text).toBe(
      'An email address (mail); 87.5 % of the values looked at fit. Each row has a value of its own.',
    );
  });

  it('shows no value of a personal column, not its range either', () => {
    const born = column({
      name: 'dob',
      type: 'DATE',
      semantic: { type: 'date', by: 'type' },
      distinct: 2,
      min: '1980-02-11',
      max: '1999-11-23',
      values: ['1980-02-11', '1999-11-23'],
      personal: true,
    });
    expect(describeColumn(born, 9).text).toBe('A date (date of birth). It has 2 different values.');
  });

  it('of a table tells its size, its key and what it holds', async () => {
    const table = {
      name: 'orders',
      rows: 40,
      source: 'orders.csv',
      columns: [
        column({ name: 'order_id', type: 'BIGINT', semantic: { type: 'identifier', by: 'name' } }),
        column({}),
        column({ name: 'ordered_at', type: 'TIMESTAMP', semantic: { type: 'datetime', by: 'type' }, distinct: 31 }),
      ],
    };
    expect(describeTable(table).text).toBe(
      'orders has 40 rows and 3 columns, read from orders.csv. order_id tells its rows apart. ' +
        'It holds times (ordered_at), amounts of money (unit_price).',
    );
    const { columns } = table;
    expect(await ruleDescriber.describe({ table, columns, about: 'columns' })).not.toHaveProperty('table');
    expect(await ruleDescriber.describe({ table, columns, about: 'table and columns' })).toHaveProperty('table');
  });
});

describe('synonyms', () => {
  it('write abbreviations out and name what people also say', () => {
    expect(synonymsOf('cust_addr')).toEqual(['customer address', 'cust addr', 'client address', 'buyer address']);
    expect(synonymsOf('Qty')).toEqual(['quantity', 'count', 'number of units']);
    expect(synonymsOf('weather')).toEqual([]);
    expect(synonymsOf('customerLastName')).toContain('customer surname');
    expect(synonymsOf('dob')).toContain('birthday');
    expect(synonymsOf('date_of_birth')).toEqual(['date of birth', 'birthday', 'dob']);
  });
});
