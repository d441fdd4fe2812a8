// DuckDB's native binding for the architecture that a function runs on, whatever this machine is: installed by npm for the
// target out of the committed lockfile, once, into a folder that git ignores.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Arch = 'arm64' | 'x86_64';

export const root = resolve(import.meta.dirname, '..');
const nativePackage = '@duckdb/node-api';
const npmCpu = { arm64: 'arm64', x86_64: 'x64' } as const satisfies Record<Arch, string>;

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** Of a built package, which has no lockfile of its own; `npm run build` writes it there. */
export const builtLockFile = 'native-lock.json';

function ownLock(): Lock {
  const built = join(root, builtLockFile);
  return JSON.parse(readFileSync(existsSync(built) ? built : join(root, 'package-lock.json'), 'utf8')) as Lock;
}

/** What npm installs: DuckDB and the one package that it needs, at the versions and hashes of our own lockfile. */
export function nativeLock() {
  const { packages } = ownLock();
  const wanted = Object.entries(packages).filter(([path]) => /^node_modules\/(@duckdb\/|detect-libc$)/.test(path));
  const version = packages[`node_modules/${nativePackage}`]?.version;
  if (version === undefined) throw new Error(`package-lock.json has no ${nativePackage}; run npm install.`);
  const project = { name: 'native', version: '0.0.0', dependencies: { [nativePackage]: version } };
  const lock = { ...project, lockfileVersion: 3, requires: true };
  return { version, project, lock: { ...lock, packages: { '': project, ...Object.fromEntries(wanted) } } };
}

/** A folder whose `node_modules` holds DuckDB for Linux on `arch`, and its version. */
export function nativeModules(arch: Arch): { readonly folder: string; readonly version: string } {
  const { version, project, lock } = nativeLock();
  const folder = join(root, '.cache', `duckdb-${version}-${arch}`);
  if (existsSync(folder)) return { folder, version };
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  writeFileSync(join(making, 'package.json'), JSON.stringify(project));
  writeFileSync(join(making, 'package-lock.json'), JSON.stringify(lock));
  const platform = ['--os=linux', `--cpu=${npmCpu[arch]}`, '--libc=glibc'];
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', '--loglevel=error'];
  execFileSync('npm', ['ci', ...platform, ...quiet], { cwd: making, stdio: ['ignore', 'ignore', 'pipe'] });
  publish(making, folder);
  return { folder, version };
}

/** Two synths may install at once; the first to finish wins, and the other one's copy goes. */
function publish(making: string, folder: string): void {
  try {
    renameSync(making, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(making, { recursive: true, force: true });
  }
}
