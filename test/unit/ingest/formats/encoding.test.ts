import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../lib/core/fault.ts';
import { type EncodingName, encodingNames } from '../../../../lib/ingest/formats/encoding/encodings.ts';
import { plainText } from '../../../../lib/ingest/formats/plain.ts';
import { inFolder, readBack, refusal } from '../world.ts';
import { charactersOf, codes, encode } from './encoder.ts';

const plain = (content: Uint8Array, encoding?: EncodingName) =>
  inFolder(async (workDir) => {
    const path = join(workDir, 'upload');
    await writeFile(path, content);
    const text = await plainText(path, workDir, { encoding });
    return { text: (await readFile(text.path)).subarray(text.start).toString(), warnings: text.warnings };
  });

const faultOf = (content: Uint8Array, encoding?: EncodingName): Promise<Fault> =>
  plain(content, encoding).then(
    () => expect.fail('it was read'),
    (thrown: unknown) => {
      expect(thrown).toBeInstanceOf(Fault);
      return thrown as Fault;
    },
  );

const people = 'id,name,town\n1,Müller,Düsseldorf\n2,François,Besançon\n3,Peña,A Coruña\n4,“Bob”,10 € – 5 £\n';
const japanese = 'id,名前,メモ\n1,山田 太郎,東京都港区\n2,ｽｽﾞｷ ハナコ,表計算ソフト\n';

describe('text', () => {
  it.each(encodingNames)('comes back character by character from %s that the caller names', async (name) => {
    await fc.assert(
      fc.asyncProperty(charactersOf(name), async (characters) => {
        const text = `x${characters.toWellFormed()}`;
        expect((await plain(encode(text, name), name)).text).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('of every character of one or two bytes comes back, control characters among them', async () => {
    for (const name of ['iso-8859-1', 'windows-1252', 'shift_jis'] as const) {
      const text = [...(codes[name]?.keys() ?? [])].join('');
      expect((await plain(encode(text, name), name)).text).toBe(text);
    }
    expect(codes.shift_jis?.size).toBeGreaterThan(9000);
  });

  it.each([
    ['windows-1252', people],
    ['shift_jis', japanese],
    ['utf-16le', people],
    ['utf-16be', people],
  ] as const)('in %s is found by its bytes, with a warning that names it', async (name, text) => {
    const read = await plain(encode(text, name));
    expect(read.text).toBe(text);
    expect(read.warnings).toMatchObject([
      { code: 'ENCODING_GUESSED', message: expect.stringContaining(`It is read as ${name}.`) },
    ]);
  });

  it('that had to be guessed is shown', async () => {
    expect((await plain(encode(people, 'windows-1252'))).warnings[0]?.example).toBe('1,Müller,Düsseldorf');
    expect((await plain(encode(japanese, 'shift_jis'))).warnings[0]?.example).toBe('id,名前,メモ');
  });

  it('in UTF-8 is not guessed at, wherever its characters are cut by what is read at once', async () => {
    for (let shift = 0; shift < 4; shift++) {
      const text = 'x'.repeat((1 << 20) - shift) + '€𝒳é';
      expect((await plain(Buffer.from(text))).warnings).toEqual([]);
    }
  });

  it.each(['windows-1252', 'shift_jis', 'utf-16be'] as const)(
    'in %s comes back whole however long it is',
    async (name) => {
      const text = (name === 'shift_jis' ? japanese : people).repeat(4000);
      for (const shift of ['', 'x']) expect((await plain(encode(shift + text, name))).text).toBe(shift + text);
    },
  );

  it('has its first foreign byte after a long head of ASCII', async () => {
    const text = `${'a,b\n'.repeat(50_000)}Zürich,1\n`;
    expect((await plain(encode(text, 'windows-1252'))).text).toBe(text);
  });

  it.each([
    ['T-shirts don’t fit Ärzte\n', 'windows-1252'],
    ['«CAFÉ», «SPAß»\nFIN DE L’ANNÉE\n', 'windows-1252'],
    ['£100\n£200\n', 'windows-1252'],
    ['37.5 °C, ½ µm\n', 'windows-1252'],
    ['col·legi, Œuvre, naïf, Ærø, L’Haÿ\n', 'windows-1252'],
    ['ひらがな,カタカナ\n', 'shift_jis'],
    ['氏名\n山田\n', 'shift_jis'],
  ] as const)('%j is found', async (text, name) => {
    expect((await plain(encode(text, name))).text).toBe(text);
  });
});

describe('what is in no encoding that is found is refused, and says where', () => {
  const bytes = (latin1: string): Buffer => Buffer.from(latin1, 'latin1');

  it.each([
    ['Greek', bytes('a\n\xc5\xeb\xeb\xdc\xe4\xe1\n'), 2],
    ['Polish', bytes('a\nWa\xb3\xeasa, \xa3\xf3d\x9f\n'), 4],
    ['Chinese', bytes('a\n\xd6\xd0\xb9\xfa\xd6\xd0\xb9\xfa\n'), 2],
    ['Japanese in EUC', bytes('a\n\xa4\xd2\xa4\xe9\xa4\xac\xa4\xca\n'), 2],
    ['German of MacOS', bytes('a\nGr\x9f\xa7e, f\x9fr, sch\x9an\n'), 4],
    ['a byte that nobody uses', bytes('a\ncaf\xe9 \x81\n'), 5],
  ])('%s', async (_what, content, byteOffset) => {
    const fault = await faultOf(content);
    expect([fault.code, fault.extra]).toEqual(['ENCODING_INVALID', { byteOffset, line: 2 }]);
    expect(fault.detail).toMatch(/looks like no other encoding|not found by itself/);
  });

  it('a damaged byte in a text that is clear otherwise', async () => {
    const japaneseText = encode(japanese.repeat(20), 'shift_jis');
    const broken = await faultOf(Buffer.concat([japaneseText, Buffer.of(0x93, 10)]));
    expect(broken.detail).toContain(`byte offset ${japaneseText.length} is not shift_jis`);
    const western = encode(people.repeat(20), 'windows-1252');
    const undefinedByte = await faultOf(Buffer.concat([western, Buffer.of(0x81, 10)]));
    expect(undefinedByte.detail).toContain(`byte offset ${western.length} is not windows-1252`);
  });

  it.each([
    ['Latin-1 behind UTF-8', bytes('a\nEspa\xc3\xb1a\ncaf\xe9\n'), 13, 3, 6],
    ['UTF-8 behind Latin-1', bytes('a\ncaf\xe9\nEspa\xc3\xb1a\n'), 5, 2, 11],
    ['Japanese behind UTF-8', Buffer.concat([Buffer.from('a\n名前\n'), encode('山田\n', 'shift_jis')]), 9, 3, 2],
    ['UTF-8 cut in a character', Buffer.from('a\n名前').subarray(0, 7), 5, 2, 2],
  ])('%s', async (_what, content, byteOffset, line, utf8) => {
    const fault = await faultOf(content);
    expect([fault.code, fault.extra]).toEqual(['ENCODING_INVALID', { byteOffset, line }]);
    expect(fault.detail).toContain(`though the text at offset ${utf8} is`);
  });

  it.each([
    ['windows-1252', bytes(`${'ab\n'.repeat(30_000)}x\x8dy`), 90_001],
    [
      'shift_jis',
      Buffer.concat([encode(japanese.repeat(3000), 'shift_jis'), bytes('\n\x93\x0a')]),
      encode(japanese, 'shift_jis').length * 3000 + 1,
    ],
    ['shift_jis', bytes('a\xff'), 1],
    ['shift_jis', bytes('ab\x93'), 2],
    ['utf-16le', Buffer.from('a\0b\0\0\xd8c\0', 'latin1'), 4],
    ['utf-16be', Buffer.from('\0a\xdc\0\0b', 'latin1'), 2],
    ['utf-16le', Buffer.from('a\0b', 'latin1'), 2],
  ] as const)('%s that the caller names (%#)', async (name, content, byteOffset) => {
    const fault = await faultOf(content, name);
    expect([fault.code, fault.extra['byteOffset']]).toEqual(['ENCODING_INVALID', byteOffset]);
    expect(fault.detail).toContain(`byte offset ${byteOffset} is not ${name}`);
  });

  it('is an encoding that the byte order mark contradicts', async () => {
    const fault = await faultOf(Buffer.from('\ufeffa\n'), 'windows-1252');
    expect([fault.code, fault.detail]).toEqual([
      'OPTION_MISFIT',
      expect.stringContaining('byte order mark of the file is of utf-8'),
    ]);
    expect((await plain(Buffer.from('\ufeffa\n'), 'utf-8')).text).toBe('a\n');
    expect((await plain(Buffer.from('\ufeffa\n', 'utf16le'), 'utf-16le')).text).toBe('a\n');
  });
});

describe('a table', () => {
  it('is read from each encoding, compressed or not', async () => {
    const expected = (await readBack('t.csv', people)).rows;
    expect((await readBack('t.csv', encode(people, 'windows-1252'))).rows).toEqual(expected);
    expect((await readBack('t.csv.gz', gzipSync(encode(people, 'utf-16be')))).rows).toEqual(expected);
    const tsv = await readBack('t.tsv', encode(japanese.replaceAll(',', '\t'), 'shift_jis'));
    expect(tsv.columns.map(({ name }) => name)).toEqual(['id', '名前', 'メモ']);
    const ndjson = '{"town":"Düsseldorf"}\n{"town":"Besançon"}\n';
    expect((await readBack('t.ndjson', encode(ndjson, 'windows-1252'))).rows).toEqual([['Düsseldorf'], ['Besançon']]);
  });

  it('is read in the encoding that the caller names, where nothing in the file shows it', async () => {
    const content = encode('名前\n山田太郎\n', 'utf-16le');
    expect((await refusal('t.csv', content)).code).toBe('FORMAT_MISMATCH');
    expect((await readBack('t.csv', content, {}, { encoding: 'utf-16le' })).rows).toEqual([['山田太郎']]);
    const polish = Buffer.from('a\nWa\xb3\xeasa\n', 'latin1');
    expect((await readBack('t.csv', polish, {}, { encoding: 'iso-8859-1' })).rows).toEqual([['Wa³êsa']]);
  });

  it('is refused with its place where a value is in another encoding', async () => {
    const fault = await refusal('t.csv', Buffer.concat([Buffer.from('a\nü\n'), Buffer.of(0xfc, 10)]));
    expect([fault.code, fault.extra]).toEqual(['ENCODING_INVALID', { byteOffset: 5, line: 3 }]);
  });
});
