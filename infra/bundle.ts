// The code of one function as a folder: ESM by esbuild with the AWS SDK in it, and DuckDB beside it where it is used.
// What is loaded by `import()` stays a file of its own, so that a function reads only what it needs when it starts.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, extname, join } from 'node:path';
import { type BuildResult, buildSync } from 'esbuild';
import { type Arch, nativeModules, root } from './native.ts';

export interface BundleSpec {
  /** Paths from the root without extension; each becomes `<its name>.mjs`. The first one holds the handler. */
  readonly entries: readonly [string, ...string[]];
  /** Whether DuckDB goes along. */
  readonly native: boolean;
  readonly arch: Arch;
  /** Absolute: the user's kinds, for functions that know kinds. */
  readonly kindsFile?: string | undefined;
}

export interface Bundle {
  readonly folder: string;
  /** Changes exactly when the code does. */
  readonly hash: string;
}

/** `.ts` in a checkout, `.js` in the package that is built of it. */
const extension = extname(import.meta.filename);
const noKinds = join(root, `functions/support/no-kinds${extension}`);

const commonJs = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

type Built = BuildResult<{ metafile: true; write: false }>;

/** By its entries, what has been built without a user's kinds: the sources stay as they are while a process synthesises. */
const known = new Map<string, Built>();

/** Builds the bundle, gives it to `use`, and removes it again; `use` copies what it wants to keep. */
export function withBundle<T>(spec: BundleSpec, use: (bundle: Bundle) => T): T {
  const built = builtOnce(spec);
  if (!spec.native) refuseNative(spec, built);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-bundle-'));
  try {
    for (const file of built.outputFiles) writeFileSync(join(folder, basename(file.path)), file.contents);
    return use({ folder, hash: hashOf(built, spec.native ? addNative(folder, spec.arch) : '') });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function builtOnce(spec: BundleSpec): Built {
  if (spec.kindsFile !== undefined) return build(spec);
  const key = spec.entries.join(' ');
  const built = known.get(key) ?? build(spec);
  known.set(key, built);
  return built;
}

function build({ entries, kindsFile = noKinds }: BundleSpec): Built {
  return buildSync({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => ({ in: `${entry}${extension}`, out: basename(entry) })),
    alias: { '#own-kinds': kindsFile },
    // In a checkout `millrace` is the source next to the functions, so that the user's file and they share one copy of it.
    conditions: extension === '.ts' ? ['millrace-source', 'module'] : ['module'],
    outdir: 'bundle',
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunk-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: ['@duckdb/*'],
    banner: { js: commonJs },
    // A start costs what there is to read and to run: names stay as they are, so that a stack still says where; `keepNames` would set
    // each function's name again, one by one, at every start.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'error',
    metafile: true,
    write: false,
  });
}

/** A static import of a package that is not there would stop the function from starting at all. */
function refuseNative({ entries }: BundleSpec, { metafile }: Built): void {
  const pending = entries.map((entry) => `bundle/${basename(entry)}.mjs`);
  const seen = new Set(pending);
  for (const path of pending) {
    const imports = metafile.outputs[path]?.imports.filter(({ kind }) => kind === 'import-statement') ?? [];
    const native = imports.find((each) => each.external && each.path.startsWith('@duckdb/'));
    if (native) throw new Error(`${entries[0]} loads ${native.path} at its start, but is built without.`);
    const fresh = imports.map((each) => each.path).filter((each) => !seen.has(each));
    for (const each of fresh) seen.add(each);
    pending.push(...fresh);
  }
}

function addNative(folder: string, arch: Arch): string {
  const native = nativeModules(arch);
  mkdirSync(join(folder, 'node_modules'));
  cpSync(join(native.folder, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
  return `${native.version} ${arch}`;
}

function hashOf(built: Built, native: string): string {
  const hash = createHash('sha256').update(native);
  const files = built.outputFiles.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  for (const { path, contents } of files) hash.update(basename(path)).update(contents);
  return hash.digest('hex');
}
