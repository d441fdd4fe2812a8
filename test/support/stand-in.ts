// Commands that stand in for real ones: a folder for the front of PATH, holding scripts that record how they were called.
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface StandIns extends Disposable {
  readonly folder: string;
  /** The calls so far, each as the command and its arguments in one line. */
  calls(): string[];
}

/**
 * @param scripts - by command name, the body of a `sh` script; `"$@"` are its arguments. Each call is recorded first.
 */
export function standIns(scripts: Readonly<Record<string, string>>): StandIns {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-stand-in-'));
  const record = join(folder, 'calls');
  writeFileSync(record, '');
  for (const [name, body] of Object.entries(scripts)) {
    const file = join(folder, name);
    writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\necho "${name} $*" >> '${record}'\n${body}\n`);
    chmodSync(file, 0o755);
  }
  return {
    folder,
    calls: () => readFileSync(record, 'utf8').split('\n').filter(Boolean),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
