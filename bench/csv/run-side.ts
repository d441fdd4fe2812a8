// Runs one side of the comparison and reads its line.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SideResult } from './side.ts';

const script = join(import.meta.dirname, 'side.ts');

/** In a process of its own, so that neither side finds memory or pages that the other left. */
export async function runSide(side: 'millrace' | 'plain', path: string): Promise<SideResult> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, side, path]);
  return JSON.parse(stdout) as SideResult;
}
