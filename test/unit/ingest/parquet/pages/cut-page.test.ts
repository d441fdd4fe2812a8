// Pages that say more than they hold, or hold more than they say: none takes more memory than one that is sound.
import { zstdCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { codecs, expandedBy } from '../../../../../lib/ingest/parquet/pages/codecs.ts';
import { cutPage } from '../../../../../lib/ingest/parquet/pages/cut-page.ts';
import { writeLevels } from '../../../../../lib/ingest/parquet/pages/levels.ts';
import { encodings } from '../../../../../lib/ingest/parquet/pages/page-header.ts';

const MIB = 2 ** 20;
const NUMBERS = { width: 8, levels: { definition: 1, repetition: 0 } };
const LISTS = { width: 8, levels: { definition: 1, repetition: 1 } };

interface Told {
  readonly values: number;
  readonly uncompressed: number;
}

/** The values of each page that comes of one page of this body, compressed by Zstandard. */
async function cut(body: Buffer, { values, uncompressed }: Told, leaf = NUMBERS): Promise<number[]> {
  const bytes = zstdCompressSync(body);
  const sizes = { compressed: bytes.length, uncompressed };
  const header = { kind: 'data', ...sizes, values, encoding: encodings.plain } as const;
  const page = { header, start: 0, data: 0, end: bytes.length, struct: new Map() };
  const stored = async function* (start: number, end: number) {
    yield bytes.subarray(start, end);
  };
  const expand = expandedBy(codecs.zstd) ?? ((same: AsyncIterable<Buffer>) => same);
  const mostBytes = { value: 10 * MIB, expanded: () => 512 * MIB };
  const found: number[] = [];
  for await (const small of cutPage(page, { leaf, stored, expand, mostBytes })) found.push(small.values);
  return found;
}

const present = (count: number): Buffer => writeLevels(new Uint8Array(count).fill(1), 1);

it('a sound page comes to small ones', async () => {
  const body = Buffer.concat([present(100_000), Buffer.alloc(800_000)]);
  const found = await cut(body, { values: 100_000, uncompressed: body.length });
  expect(found.length).toBeGreaterThan(2);
  expect(found.reduce((sum, values) => sum + values, 0)).toBe(100_000);
});

it.each([
  [
    'more entries than memory',
    Buffer.concat([present(9), Buffer.alloc(72)]),
    { values: 2 ** 31 - 1, uncompressed: MIB },
  ],
  [
    'levels without end',
    Buffer.concat([Buffer.alloc(4, 255), Buffer.alloc(80 * MIB)]),
    { values: 9, uncompressed: 2 ** 31 - 1 },
  ],
  [
    'fewer bytes than there are',
    Buffer.concat([present(90_000), Buffer.alloc(720_000)]),
    { values: 90_000, uncompressed: 2048 },
  ],
  ['more values than there are', Buffer.concat([present(9), Buffer.alloc(8)]), { values: 9, uncompressed: MIB }],
])('a page that says it has %s is left', async (_, body, told) => {
  await expect(cut(body, told)).rejects.toThrow(TypeError);
});

it('a row that is larger than memory is left', async () => {
  const [count, goesOn] = [3 * MIB, new Uint8Array(3 * MIB).fill(1)];
  goesOn[0] = 0;
  const body = Buffer.concat([writeLevels(goesOn, 1), present(count), Buffer.alloc(8 * count)]);
  await expect(cut(body, { values: count, uncompressed: body.length }, LISTS)).rejects.toThrow(TypeError);
});
