import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { inFolder } from '../world.ts';
import { xlsx } from './xlsx-writer.ts';

const ROWS = { few: 1000, many: 30_000 };
/** Bytes of the larger sheet's XML that would be in memory if rows were kept are over 15 MB, and as objects a multiple of that. */
const MOST_GROWTH_MB = 60;
/** Little room for garbage: how much of it lies about otherwise is a matter of chance, and of the machine. */
const HEAP = ['--max-semi-space-size=1', '--max-old-space-size=48'];

const sheetOf = (rows: number) => {
  const header = ['id', 'amount', 'city', 'note', 'seen', 'flag'];
  const row = (n: number) => [n, n / 8, `city ${n % 40}`, `note ${n} of the sheet`, 40_000 + (n % 999), n % 3 === 0];
  return xlsx({ sheets: [{ name: 'Sheet', rows: [header, ...Array.from({ length: rows }, (_, n) => row(n))] }] });
};

it('a sheet of thirty times the rows is read in the memory of the small one', async () => {
  await inFolder(async (folder) => {
    const script = join(import.meta.dirname, 'peak.ts');
    const peakOf = async (rows: number) => {
      const path = join(folder, `${rows}.xlsx`);
      await writeFile(path, sheetOf(rows));
      const { stdout } = await promisify(execFile)(process.execPath, [...HEAP, script, path]);
      const { rowCount, residentMb } = JSON.parse(stdout) as { rowCount: number; residentMb: number };
      expect(rowCount).toBe(rows);
      return residentMb;
    };
    const few = await peakOf(ROWS.few);
    expect(await peakOf(ROWS.many)).toBeLessThan(few + MOST_GROWTH_MB);
  });
}, 60_000);
