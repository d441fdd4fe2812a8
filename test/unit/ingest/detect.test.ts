import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '../../../lib/core/fault.ts';
import { detectFormat, tableNameOf } from '../../../lib/ingest/formats/detect.ts';

const bytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content;
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const noise = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 197 + 31) % 256));

function codeOf(name: string, content: string | Uint8Array): FaultCode | undefined {
  try {
    detectFormat({ name, head: bytes(content) });
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.code;
    throw thrown;
  }
}

describe('detectFormat', () => {
  it.each([
    ['a.csv', 'x,y\n1,2\n', 'csv', 'none'],
    ['A.CSV', 'x,y\n1,2\n', 'csv', 'none'],
    ['a.csv', '"x"', 'csv', 'none'],
    ['a.csv', '\ufeffx,y', 'csv', 'none'],
    ['a.csv', Buffer.from('\ufeffx,y', 'utf16le'), 'csv', 'none'],
    ['a.csv', Buffer.from('x,y\n1,2', 'utf16le'), 'csv', 'none'],
    ['a.tsv', 'x\ty', 'tsv', 'none'],
    ['a.json', ' [{"a":1}]', 'json', 'none'],
    ['a.json', '{"a":1}', 'json', 'none'],
    ['a.jsonl', '{"a":1}\n{"a":2}', 'ndjson', 'none'],
    ['a.ndjson', '{"a":1}', 'ndjson', 'none'],
    ['a.parquet', 'PAR1....PAR1', 'parquet', 'none'],
    ['a.csv.gz', gzipSync('x,y'), 'csv', 'gzip'],
    ['a.JSON.GZ', gzipSync('[{"a":1}]'), 'json', 'gzip'],
    ['a.parquet.gz', gzipSync('PAR1....PAR1'), 'parquet', 'gzip'],
  ])('reads %s as what it is', (name, content, format, compression) => {
    expect(detectFormat({ name, head: bytes(content) })).toMatchObject({ format, compression });
  });

  it.each([
    ['a.csv', '', 'EMPTY_FILE'],
    ['a.csv.gz', gzipSync(''), 'EMPTY_FILE'],
    ['a.csv', noise, 'FORMAT_MISMATCH'],
    ['a.csv', 'PAR1....PAR1', 'FORMAT_MISMATCH'],
    ['a.csv', png, 'FORMAT_MISMATCH'],
    ['a.csv', '[{"a":1}]', 'FORMAT_MISMATCH'],
    ['a.csv', '{"a":1}', 'FORMAT_MISMATCH'],
    ['a.csv', '<!DOCTYPE html><html>', 'FORMAT_MISMATCH'],
    ['a.csv', gzipSync('x,y'), 'FORMAT_MISMATCH'],
    ['a.csv.gz', 'x,y', 'FORMAT_MISMATCH'],
    ['a.csv.gz', gzipSync(png), 'FORMAT_MISMATCH'],
    ['a.parquet', png, 'FORMAT_MISMATCH'],
    ['a.parquet', 'x,y\n', 'FORMAT_MISMATCH'],
    ['a.json', 'x,y\n', 'FORMAT_MISMATCH'],
    ['a.ndjson', '[{"a":1}]', 'FORMAT_MISMATCH'],
    ['a.xlsx', 'PK\x03\x04', 'FORMAT_UNKNOWN'],
    ['a', 'x,y', 'FORMAT_UNKNOWN'],
    ['a.constructor', 'x,y', 'FORMAT_UNKNOWN'],
    ['a.gz', gzipSync('x,y'), 'FORMAT_UNKNOWN'],
    ['a.csv.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 'COMPRESSION_CORRUPT'],
  ] as const)('refuses %s (%#) with %s', (name, content, code) => {
    expect(codeOf(name, content)).toBe(code);
  });

  it('bounds what a look into a gzip file may cost', () => {
    const bomb = gzipSync(Buffer.alloc(200 << 20, 'a'));
    expect(detectFormat({ name: 'a.csv.gz', head: bomb.subarray(0, 65_536) }).compression).toBe('gzip');
  });
});

describe('tableNameOf', () => {
  it.each([
    ['sales', 'sales'],
    ['Sales 2024-Q1', 'Sales_2024_Q1'],
    ['2024', 't_2024'],
    ['', 't_'],
    ['naïve', 'na_ve'],
    ['a"; DROP TABLE', 'a___DROP_TABLE'],
  ])('makes %j the identifier %s', (stem, name) => {
    expect(tableNameOf(stem)).toBe(name);
  });

  it('takes the last part of a path and is bounded', () => {
    expect(detectFormat({ name: '../../etc/pass.wd.csv', head: bytes('a') }).tableName).toBe('pass_wd');
    expect(tableNameOf('x'.repeat(5000))).toHaveLength(128);
  });
});
