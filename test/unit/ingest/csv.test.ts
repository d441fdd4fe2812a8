import { describe, expect, it } from 'vitest';
import { brief, readBack } from './world.ts';

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const headed = ['a', 'b'];

/** Content, then the rows as they must come back. */
const regular: readonly [string, string | Buffer, (string | null)[][]][] = [
  ['LF', 'a,b\nx,y\n', [['x', 'y']]],
  ['no line end at the end', 'a,b\nx,y', [['x', 'y']]],
  [
    'CRLF',
    'a,b\r\nx,y\r\nz,w\r\n',
    [
      ['x', 'y'],
      ['z', 'w'],
    ],
  ],
  [
    'CR',
    'a,b\rx,y\rz,w\r',
    [
      ['x', 'y'],
      ['z', 'w'],
    ],
  ],
  [
    'LF and CRLF mixed',
    'a,b\nx,y\r\nz,w\n',
    [
      ['x', 'y'],
      ['z', 'w'],
    ],
  ],
  ['a CR inside a field', 'a,b\nx\ry,z\n', [['x\ry', 'z']]],
  ['a byte order mark', '\ufeffa,b\nx,y\n', [['x', 'y']]],
  ['UTF-16 LE', Buffer.from('\ufeffa,b\nñ,€\n', 'utf16le'), [['ñ', '€']]],
  ['UTF-16 BE', utf16be('\ufeffa,b\nñ,𝄞\n'), [['ñ', '𝄞']]],
  [
    'semicolons',
    'a;b\nx;1,5\ny;2,5\n',
    [
      ['x', '1,5'],
      ['y', '2,5'],
    ],
  ],
  ['tabs', 'a\tb\nx\ty,z\n', [['x', 'y,z']]],
  ['bars', 'a|b\nx|y\n', [['x', 'y']]],
  ['a quoted delimiter', 'a,b\n"x,y",z\n', [['x,y', 'z']]],
  [
    'a quoted line end',
    'a,b\n"x\ny",z\n"p\r\nq",r\n',
    [
      ['x\ny', 'z'],
      ['p\r\nq', 'r'],
    ],
  ],
  ['doubled quotes', 'a,b\n"x""y",""""\n', [['x"y', '"']]],
  ['a quote inside a field', 'a,b\n5" pipe,say "hi"\n', [['5" pipe', 'say "hi"']]],
  [
    'NULL and empty text',
    'a,b\n,""\n"",x\n',
    [
      [null, ''],
      ['', 'x'],
    ],
  ],
  [
    'values that begin with a byte order mark, in a file that is written anew',
    'a,b\r\n\ufeff,"x\ny"\r\n\ufeffz,"\ufeff"\r\n',
    [
      ['\ufeff', 'x\ny'],
      ['\ufeffz', '\ufeff'],
    ],
  ],
  ['spaces', 'a,b\n x , y\n', [[' x ', ' y']]],
  ['quotes in a header', '"a","b"\nx,y\n', [['x', 'y']]],
  [
    'a short row',
    'a,b\nx\nz,w\n',
    [
      ['x', null],
      ['z', 'w'],
    ],
  ],
  ['blank lines', '\na,b\n\nx,y\n\n', [['x', 'y']]],
  ['a header alone', 'a,b\n', []],
  ['a header alone without a line end', 'a,b', []],
];

describe('reading CSV', () => {
  it.each(regular)('%s', async (_, content, rows) => {
    const read = await readBack('t.csv', content);
    expect(read.columns.map(({ name }) => name)).toEqual(headed);
    expect(read.rows).toEqual(rows);
    expect(read.rowCount).toBe(rows.length);
  });

  it('takes tabs alone to separate a .tsv', async () => {
    const read = await readBack('t.tsv', 'a,b\tc\n1,2\t3\n');
    expect(read.schema).toEqual(['a,b VARCHAR', 'c BIGINT']);
  });

  it('takes quotes literally in a .tsv that closes none', async () => {
    const read = await readBack('t.tsv', 'a\tb\n"x\ty\nz\t"w\n');
    expect(read.rows).toEqual([
      ['"x', 'y'],
      ['z', '"w'],
    ]);
    expect(brief(read)).toEqual([{ code: 'QUOTES_KEPT' }]);
  });

  it('reads a table of one column, in which a blank line is a row', async () => {
    const read = await readBack('t.csv', 'a\nx\n\ny\n');
    expect(read.rows).toEqual([['x'], [null], ['y']]);
  });

  it('keeps every field of a long row in columns of their own', async () => {
    const read = await readBack('t.csv', 'a,b\n1,2\n3,4,5,6\n7,8,9\n');
    expect(read.schema).toEqual(['a BIGINT', 'b BIGINT', 'column_3 BIGINT', 'column_4 BIGINT']);
    expect(read.rows).toEqual([
      ['1', '2', null, null],
      ['3', '4', '5', '6'],
      ['7', '8', '9', null],
    ]);
    expect(brief(read)).toEqual([{ code: 'LONG_ROWS', row: 2, count: 2, example: '3,4,5,6' }]);
  });

  it('says which rows were padded, which lines were left out and which quotes were kept', async () => {
    const read = await readBack('t.csv', 'a,b\n1,u\n\n3\n4\n5,x"y\n');
    expect(brief(read)).toEqual([
      { code: 'BLANK_LINES_SKIPPED', row: 1, count: 1, example: '' },
      { code: 'SHORT_ROWS', row: 2, count: 2, example: '3' },
      { code: 'QUOTES_KEPT', row: 4, count: 1, example: '5,x"y' },
    ]);
  });

  it('names columns as the file does: trimmed, blank ones by place, repeated ones numbered', async () => {
    const read = await readBack('t.csv', ' a ,,A,a,a_2,"x ""y"", z",\n1,2,3,4,5,6,7\n');
    const names = ['a', 'column_2', 'A_3', 'a_4', 'a_2', 'x "y", z', 'column_7'];
    expect(read.columns.map(({ name }) => name)).toEqual(names);
    expect(read.rows).toEqual([['1', '2', '3', '4', '5', '6', '7']]);
    expect(brief(read)).toEqual([
      { code: 'COLUMN_UNNAMED', column: 'column_2' },
      { code: 'COLUMN_REPEATED', column: 'A_3', example: 'A' },
      { code: 'COLUMN_REPEATED', column: 'a_4', example: 'a' },
      { code: 'COLUMN_UNNAMED', column: 'column_7' },
    ]);
  });

  it('warns when the header looks like data and when two delimiters fit', async () => {
    expect(brief(await readBack('t.csv', '1,2020-01-01\n2,2020-01-02\n'))).toEqual([
      { code: 'HEADER_LOOKS_LIKE_DATA', example: '1,2020-01-01' },
    ]);
    expect(brief(await readBack('t.csv', 'a,b;c\n1,2;3\n'))).toEqual([{ code: 'DELIMITER_GUESSED' }]);
  });

  it('prefers a delimiter that fits every row over one that fits the head', async () => {
    const pad = 'x'.repeat(2000);
    const read = await readBack('t.csv', `a;b,c\n${`1;${pad},3\n`.repeat(700)}4;5\n`);
    expect(read.schema).toEqual(['a BIGINT', 'b,c VARCHAR']);
    expect(read.rows.at(-1)).toEqual(['4', '5']);
  });

  it('guesses UTF-16 where it is evident, and says so', async () => {
    const read = await readBack('t.csv', utf16be('a,b\nx,y\n'));
    expect(read.rows).toEqual([['x', 'y']]);
    expect(brief(read)).toEqual([{ code: 'ENCODING_GUESSED' }]);
  });

  it('reads records that lie across windows, with line ends in quotes, in order', async () => {
    const long = 'ä'.repeat(700);
    const lines = Array.from({ length: 2500 }, (_, index) => `${index},"${long}\n${index}"`);
    const read = await readBack('t.csv', `n,text\n${lines.join('\n')}`);
    expect(read.rows).toEqual(lines.map((_, index) => [String(index), `${long}\n${index}`]));
  });

  it('holds a record as long as the limit', async () => {
    const text = 'x'.repeat(3 << 20);
    const read = await readBack('t.csv', `a,b\n1,${text}\n2,y\n`);
    expect(read.rows).toEqual([
      ['1', text],
      ['2', 'y'],
    ]);
  });

  it('takes as many columns as the limit', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const read = await readBack('t.csv', `${names.join()}\n${names.join()}\n`, { maxColumns: 100 });
    expect(read.rows).toEqual([names]);
  });
});
