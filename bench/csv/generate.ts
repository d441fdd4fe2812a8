// A seeded CSV of any size, written as a stream: identifiers, codes with leading zeros, big integers, decimals, dates,
// timestamps, booleans, words with quotes and delimiters, and text.
import { createWriteStream } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { seededChance } from '../../lib/core/chance.ts';

const HEADER = 'id,code,big,price,ratio,day,at,flag,city,note\n';
const CITIES = ['Oslo', 'São Paulo', '"Paris, FR"', 'Köln', 'New York'];
const ROWS_AT_ONCE = 5000;
const pad = (value: number, width: number): string => String(value).padStart(width, '0');

function* chunks(bytes: number, seed: number): Generator<string> {
  const chance = seededChance(seed);
  const below = (limit: number): number => Math.floor(chance.next() * limit);
  const day = (): string => `20${10 + below(14)}-0${1 + below(9)}-1${below(9)}`;
  const row = (id: number): string => {
    const numbers = `${id},${pad(below(99_999), 5)},${below(2 ** 53)},${(chance.next() * 1000).toFixed(2)},${(chance.next() * 10).toFixed(6)}`;
    const times = `${day()},${day()} 1${below(9)}:2${below(9)}:0${below(9)}`;
    return `${numbers},${times},${chance.next() < 0.5},${CITIES[below(CITIES.length)] ?? ''},note ${below(1_000_000)} of it\n`;
  };
  yield HEADER;
  let written = HEADER.length;
  for (let id = 1; written < bytes; ) {
    let chunk = '';
    for (const last = id + ROWS_AT_ONCE; id < last; id++) chunk += row(id);
    written += Buffer.byteLength(chunk);
    yield chunk;
  }
}

/** Writes the file unless one of that size is there already; answers its bytes. */
export async function generateCsv(path: string, bytes: number, seed = 42): Promise<number> {
  const there = await stat(path).catch(() => undefined);
  if (there !== undefined) return there.size;
  await mkdir(dirname(path), { recursive: true });
  await pipeline(Readable.from(chunks(bytes, seed)), createWriteStream(`${path}.part`));
  await rename(`${path}.part`, path);
  return (await stat(path)).size;
}
