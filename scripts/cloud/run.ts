// Runs a command to its end and answers what it said; nothing is written to the terminal.
import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number;
  /** Standard output alone. */
  readonly out: string;
  /** Standard output and error, as they came. */
  readonly all: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Called with each piece of either stream as it comes. */
  readonly heard?: (piece: string) => void;
  /** Ends the command by SIGTERM. */
  readonly signal?: AbortSignal;
}

/** A command that is not there answers code 127, as a shell would; nothing is thrown. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return new Promise((done) => {
    const { env = process.env, cwd, signal, heard } = options;
    const child = spawn(command, args, { env, cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    let all = '';
    const keep = (piece: string) => {
      all += piece;
      heard?.(piece);
    };
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      out += piece;
      keep(piece);
    });
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => done({ code: 127, out, all: all + error.message }));
    child.on('close', (code) => done({ code: code ?? 143, out, all }));
  });
}
