import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../lib/core/fault.ts';
import { detectFile } from '../../../lib/ingest/formats/detect.ts';
import { tableNameOf } from '../../../lib/ingest/formats/extensions.ts';
import { bzip2 } from './formats/bzip2-writer.ts';
import { zip } from './formats/zip-writer.ts';
import { inFolder } from './world.ts';

const bytes = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : content;
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
const noise = Buffer.from(Array.from({ length: 512 }, (_, index) => (index * 197 + 31) % 256));

const detect = (name: string, content: string | Uint8Array) =>
  inFolder(async (folder) => {
    const path = join(folder, 'upload');
    await writeFile(path, bytes(content));
    return detectFile({ name, path });
  });

async function faultOf(name: string, content: string | Uint8Array): Promise<Fault | undefined> {
  try {
    await detect(name, content);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown;
    throw thrown;
  }
}

describe('detectFile', () => {
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
    ['a.csv.bz2', bzip2(Buffer.from('x,y')), 'csv', 'bzip2'],
    ['a.CSV.BZ2', bzip2(Buffer.from('x,y')), 'csv', 'bzip2'],
    ['a.ndjson.zst', zstdCompressSync('{"a":1}'), 'ndjson', 'zstd'],
    ['a.zip', zip({ name: 'b.tsv', data: 'x\ty' }), 'tsv', 'zip'],
    ['a.tsv.zip', zip({ name: 'b', data: 'x\ty' }), 'tsv', 'zip'],
    ['a.csv', 'BZh9,MZ,ORC,II*,Rar!,GIF8\n', 'csv', 'none'],
    ['a.csv', '<id>,<name>\n1,<b>\n', 'csv', 'none'],
  ])('reads %s as what it is', async (name, content, format, compression) => {
    expect(await detect(name, content)).toMatchObject({ format, compression });
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
    ['a.csv.bz2', gzipSync('x,y'), 'FORMAT_MISMATCH'],
    ['a.csv.gz', zstdCompressSync('x,y'), 'FORMAT_MISMATCH'],
    ['a.csv.zst', 'x,y', 'FORMAT_MISMATCH'],
    ['a.csv.zst', zstdCompressSync(''), 'EMPTY_FILE'],
    ['a.csv.bz2', bzip2(Buffer.alloc(0)), 'EMPTY_FILE'],
    ['a.zip', zip(), 'EMPTY_FILE'],
    ['a.csv', zip({ name: 'a.csv', data: 'x,y' }), 'FORMAT_MISMATCH'],
    ['a.zip', 'x,y', 'FORMAT_MISMATCH'],
    ['a.zst', zstdCompressSync('x,y'), 'FORMAT_UNKNOWN'],
    ['a.csv.gz', gzipSync(png), 'FORMAT_MISMATCH'],
    ['a.parquet', png, 'FORMAT_MISMATCH'],
    ['a.parquet', 'x,y\n', 'FORMAT_MISMATCH'],
    ['a.json', 'x,y\n', 'FORMAT_MISMATCH'],
    ['a.ndjson', '[{"a":1}]', 'FORMAT_MISMATCH'],
    ['a.xlsx', 'PK\x03\x04', 'COMPRESSION_CORRUPT'],
    ['a.xlsx', 'a,b', 'FORMAT_MISMATCH'],
    ['a', 'x,y', 'FORMAT_UNKNOWN'],
    ['a.constructor', 'x,y', 'FORMAT_UNKNOWN'],
    ['a.gz', gzipSync('x,y'), 'FORMAT_UNKNOWN'],
    ['a.csv.gz', Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 'COMPRESSION_CORRUPT'],
  ] as const)('refuses %s (%#) with %s', async (name, content, code) => {
    expect((await faultOf(name, content))?.code).toBe(code);
  });

  const compound = (stream: string): Buffer => {
    const file = Buffer.alloc(2048);
    file.write('d0cf11e0a1b11ae1', 'hex');
    file.writeUInt16LE(9, 30);
    file.writeUInt32LE(1, 48);
    file.write(stream, 1024 + 128, 'utf16le');
    return file;
  };
  const openDocument = (type: string): Buffer =>
    zip({ name: 'mimetype', data: `application/vnd.oasis.opendocument.${type}`, method: 0 }, { name: 'content.xml' });
  const tar = Buffer.alloc(1024);
  tar.write('a.csv');
  tar.write('ustar', 257);

  it.each([
    [
      'XLSX',
      zip({ name: '[Content_Types].xml' }, { name: 'xl/workbook.xml' }),
      /an Excel workbook \(XLSX\); let its name end in \.xlsx/,
    ],
    [
      'DOCX',
      zip({ name: '[Content_Types].xml' }, { name: 'word/document.xml' }),
      /a text document of an office program/,
    ],
    ['PPTX', zip({ name: 'ppt/presentation.xml' }), /a presentation/],
    ['ODS', openDocument('spreadsheet'), /an OpenDocument spreadsheet \(ODS\); let its name end in \.ods/],
    ['ODT', openDocument('text'), /a text document/],
    ['Numbers', zip({ name: 'Index/Tables/DataList.iwa' }), /a Numbers spreadsheet/],
    ['XLS', compound('Workbook'), /of the old kind \(XLS\); let its name end in \.xls/],
    ['DOC', compound('WordDocument'), /a text document/],
    ['XLSX with a password', compound('EncryptedPackage'), /with a password; remove/],
    ['another compound file', compound('Else'), /old Microsoft Office program/],
    ['a compound file cut short', compound('Workbook').subarray(0, 100), /old Microsoft Office program/],
    ['a zip', zip({ name: 'a.csv' }), /content is zip, but the name does not end in \.zip/],
    ['gzip', gzipSync('a'), /content is gzip, but the name does not end in \.gz/],
    ['an error page', '<!DOCTYPE html>\n<html><body>404', /an HTML page; it may be the error or the login page/],
    ['an error page without a head', '\n<h1>503 Service Unavailable</h1>', /an HTML page/],
    ['a page behind a comment', '<!-- saved -->\n<table><tr><td>1', /an HTML page/],
    ['XHTML', '<?xml version="1.0"?>\n<html xmlns="">', /an HTML page/],
    ['XML', '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>', /XML; save the table as/],
    ['UTF-16 HTML', Buffer.from('\ufeff<html>', 'utf16le'), /an HTML page/],
    ['UTF-32', Buffer.from('fffe000061000000', 'hex'), /text in UTF-32; save it as UTF-8/],
    ['PDF', '%PDF-1.7\n', /a PDF document/],
    ['JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), /a JPEG picture/],
    ['PNG', png, /a PNG picture/],
    ['RTF', '{\\rtf1\\ansi', /rich text/],
    ['7z', Buffer.from('377abcaf271c0004', 'hex'), /a 7z archive; unpack it/],
    ['RAR', Buffer.from('526172211a0700', 'hex'), /a RAR archive/],
    ['tar', tar, /a tar archive/],
    ['xz', Buffer.from('fd377a585a0000', 'hex'), /xz data/],
    ['SQLite', 'SQLite format 3\0', /an SQLite database/],
    ['Parquet', 'PAR1....PAR1', /looks like Parquet/],
    ['noise', noise, /binary data of an unknown kind/],
  ] as const)('says of %s named .csv what it is', async (_kind, content, sentence) => {
    const fault = await faultOf('a.csv', content);
    expect([fault?.code, fault?.detail]).toEqual(['FORMAT_MISMATCH', expect.stringMatching(sentence)]);
  });

  it('says of a workbook named .zip, or compressed, what it is', async () => {
    const workbook = zip({ name: '[Content_Types].xml' }, { name: 'xl/workbook.xml' });
    expect((await faultOf('a.zip', workbook))?.detail).toMatch(/an Excel workbook/);
    expect((await faultOf('a.csv.gz', gzipSync(workbook)))?.detail).toMatch(/a ZIP archive or an office file/);
  });

  it('bounds what a look into a gzip file may cost', async () => {
    const bomb = gzipSync(Buffer.alloc(200 << 20, 'a'));
    expect((await detect('a.csv.gz', bomb.subarray(0, 65_536))).compression).toBe('gzip');
  });
});

describe('tableNameOf', () => {
  it.each([
    ['sales', 'sales'],
    ['Sales 2024-Q1', 'Sales_2024_Q1'],
    ['2024', 't_2024'],
    ['', 't_'],
    ['naïve', 'naive'],
    ['Škoda – Ñandú', 'Skoda___Nandu'],
    ['ＡＢＣ１', 'ABC1'],
    ['Straße in Ørsta', 'Strasse_in_Orsta'],
    ['a"; DROP TABLE', 'a___DROP_TABLE'],
  ])('makes %j the identifier %s', (stem, name) => {
    expect(tableNameOf(stem)).toBe(name);
  });

  it('tells files apart whose letters an identifier does not have, and no more by case than tables are', () => {
    const stems = [
      '日本',
      '中国',
      '売上2024',
      '売上2025',
      'カ',
      'ガ',
      'हिन्दी',
      'हन्द',
      '😀',
      '😎',
      'Straße 道',
      'ж'.repeat(500),
      'ж'.repeat(501),
    ];
    const names = stems.map(tableNameOf);
    expect(new Set(names).size).toBe(stems.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/);
    expect(names[2]).toMatch(/^__2024_[0-9a-f]{8}$/);
    expect(tableNameOf('ЖУРНАЛ')).toBe(tableNameOf('журнал'));
  });

  it('takes the last part of a path and is bounded', async () => {
    expect((await detect('../../etc/pass.wd.csv', 'a')).tableName).toBe('pass_wd');
    expect(tableNameOf('x'.repeat(5000))).toHaveLength(128);
  });
});
