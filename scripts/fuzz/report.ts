// What a fuzz prints at its end, and where it keeps the input of a run that broke a law.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Done } from './child.ts';
import { diceOf } from './dice.ts';
import { type Input, inputOf, readSeeds } from './inputs.ts';
import { growthOf, type Held } from './leaks.ts';

/** Outcomes with how often each came, the commonest first. */
export function outcomesOf(done: readonly Done[]): string {
  const counts = new Map<string, number>();
  for (const { what, outcome } of done) {
    const name = `${what} ${outcome}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const rows = [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${String(count).padStart(6)}  ${name}`);
  return rows.join('\n');
}

/** Of one process: what it held in the second fifth of its runs and in the last. */
export function heldOf(held: readonly Held[]): string {
  const resident = growthOf(held.map((one) => one.resident));
  const handles = growthOf(held.map((one) => one.handles));
  const mib = (bytes: number): number => Math.round(bytes / 2 ** 20);
  return `${held.length} runs: ${mib(resident.early)} to ${mib(resident.late)} MiB, ${Math.round(handles.early)} to ${Math.round(handles.late)} handles`;
}

/** Writes what a run sent below `folder` and answers where; a run that was lost is drawn again. */
export async function keepInput(folder: string, seed: number, { run, input }: Done): Promise<string> {
  const kept: Input = input ?? inputOf(diceOf(seed, run), readSeeds(), []);
  const directory = join(folder, `${seed}-${run}`);
  await mkdir(directory, { recursive: true });
  const { body, bytes, ...said } = { body: undefined, bytes: undefined, ...kept };
  await writeFile(join(directory, 'said.json'), JSON.stringify(said, null, 2));
  await writeFile(join(directory, 'bytes'), bytes ?? body ?? '');
  return directory;
}
