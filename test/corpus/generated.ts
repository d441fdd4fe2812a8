// Files of the corpus that are too large to keep: made when they are read.
import { zstdCompressSync } from 'node:zlib';
import type { FaultCode } from '../../lib/core/fault.ts';
import { zip } from '../unit/ingest/formats/zip-writer.ts';

interface Made {
  /** The name that it is uploaded under. */
  readonly file: string;
  readonly like: string;
  readonly make: () => Uint8Array | string;
}

export interface MadeAndRefused extends Made {
  readonly fault: FaultCode;
  readonly says: RegExp;
}

export interface MadeAndRead extends Made {
  readonly columns: readonly string[];
  readonly rows: number;
  readonly lastRow: readonly (string | null)[];
  readonly warnings: readonly string[];
}

const MIB = 2 ** 20;
const expanding = (bytes: number): Buffer => Buffer.alloc(bytes, '0\n');

/** Rows as in a file of 100 MB, in which a quote opens on the second line and never closes. */
function openQuote(): Buffer {
  const file = Buffer.alloc(100 * MIB, '2,some text\n');
  file.write('id,note\n1,"a');
  return file;
}

/** Rows past any sample that are unlike those before. */
function lateValues(): string {
  const usual = Array.from({ length: 25_000 }, (_, n) => `${n},${n},2024-05-01,${n}\n`).join('');
  return `decimal,code,stamp,digits\n${usual}1.5,007,2024-05-01 12:00:00,1_000\n`;
}

export const refusedFiles: readonly MadeAndRefused[] = [
  {
    file: 'bomb.zip',
    like: 'a zip bomb',
    make: () => zip({ name: 'data.csv', data: expanding(80 * MIB) }),
    fault: 'DECOMPRESSION_LIMIT',
    says: /expand/i,
  },
  {
    file: 'bomb.csv.zst',
    like: 'the same of zstd',
    make: () => zstdCompressSync(expanding(80 * MIB)),
    fault: 'DECOMPRESSION_LIMIT',
    says: /expand/i,
  },
  {
    file: 'columns.csv',
    like: 'a million columns',
    make: () => `${'a,'.repeat(999_999)}a\n1\n`,
    fault: 'TOO_MANY_COLUMNS',
    says: /1000000/,
  },
  {
    file: 'keys.ndjson',
    like: 'a hundred thousand keys',
    make: () => `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":1`).join()}}\n`,
    fault: 'TOO_MANY_COLUMNS',
    says: /keys/,
  },
  {
    file: 'deep.json',
    like: 'lists a hundred thousand levels deep',
    make: () => `[{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`,
    fault: 'PARSE_ERROR',
    says: /nested deeper/,
  },
  {
    file: 'deep-objects.ndjson',
    like: 'objects a hundred thousand levels deep',
    make: () => `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}\n`,
    fault: 'PARSE_ERROR',
    says: /nested deeper/,
  },
  {
    file: 'open-quote.csv',
    like: 'csv-parse issue 265: a quote that opens and never closes in 100 MB',
    make: openQuote,
    fault: 'CELL_TOO_LARGE',
    says: /Line 2\b/,
  },
  {
    file: 'one-line.json',
    like: 'DuckDB issue 7155: one object with a value of more than 10 MiB',
    make: () => `[{"a":"${'x'.repeat(10 * MIB)}"}]`,
    fault: 'CELL_TOO_LARGE',
    says: /Line 1\b/,
  },
];

export const lateFile: MadeAndRead = {
  file: 'late.csv',
  like: 'DuckDB issue 25824: values behind the sample were rounded and cut to the type that it suggested',
  make: lateValues,
  columns: ['decimal DECIMAL(18,1)', 'code VARCHAR', 'stamp VARCHAR', 'digits VARCHAR'],
  rows: 25_001,
  lastRow: ['1.5', '007', '2024-05-01 12:00:00', '1_000'],
  warnings: ['TYPE_WIDENED code', 'TYPE_WIDENED decimal', 'TYPE_WIDENED digits', 'TYPE_WIDENED stamp'],
};
