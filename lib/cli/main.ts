// The command `millrace`, as a process.
import { text } from 'node:stream/consumers';
import { readCliEnvironment } from '../config/cli.ts';
import { systemClock } from '../core/time.ts';
import { run } from './run.ts';

const environment = readCliEnvironment();
const interrupt = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interrupt.abort());
// Whoever reads may stop early, e.g. `head`.
process.stdout.on('error', () => process.exit(0));

const { stdout, stderr } = process;
const io = {
  out: (output: string) => void stdout.write(output),
  err: (output: string) => void stderr.write(output),
  columns: stdout.isTTY ? stdout.columns : undefined,
  color: stdout.isTTY && !environment.noColor,
  isLive: stderr.isTTY && stdout.isTTY,
  signal: interrupt.signal,
  readStdin: () => text(process.stdin),
};

process.exitCode = await run(process.argv.slice(2), { io, clock: systemClock, environment });
