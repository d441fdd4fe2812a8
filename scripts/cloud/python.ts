// Finds a Python that the emulator runs on. A command may be there and not work (a version manager's shim, the store's
// placeholder), so each candidate is asked for its version.
import { run } from './run.ts';

const candidates = ['python3', 'python', 'python3.13', 'python3.12', 'python3.11', 'python3.10'];

export type Python =
  | { readonly kind: 'found'; readonly command: string; readonly version: string }
  | { readonly kind: 'too-old'; readonly version: string }
  | { readonly kind: 'missing' };

export async function findPython(env = process.env): Promise<Python> {
  let tooOld: string | undefined;
  for (const command of candidates) {
    const { code, all } = await run(command, ['--version'], { env });
    const [, version, minor] = /^Python (3\.(\d+)\S*)/m.exec(all) ?? [];
    if (code !== 0 || version === undefined) continue;
    if (Number(minor) >= 10) return { kind: 'found', command, version };
    tooOld ??= version;
  }
  return tooOld === undefined ? { kind: 'missing' } : { kind: 'too-old', version: tooOld };
}
