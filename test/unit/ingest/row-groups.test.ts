import { expect, it } from 'vitest';
import { rowGroupRows } from '../../../lib/ingest/typing/row-groups.ts';

const rowsOf = (rowBytes: number, columns: number): number =>
  rowGroupRows({ bytes: rowBytes * 1_000_000, rows: 1_000_000, columns });

it('a row group has no more than 8 MiB of long rows, so that no page of it is larger', () => {
  expect([rowsOf(100, 10), rowsOf(172, 8)]).toEqual([122_880, 122_880]);
  expect([rowsOf(710, 2), rowsOf(4000, 2), rowsOf(30_000, 2)]).toEqual([10_240, 2048, 2048]);
});
