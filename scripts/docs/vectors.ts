// lib/ingest/vectors/code.ts: the loops of lib/ingest/vectors/assembly, compiled. The compiler is a process of its own, since its types would
// change those of the whole project.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../cloud/run.ts';
import { root } from '../cloud/settings.ts';

const source = join(root, 'lib/ingest/vectors/assembly/index.ts');
const options = [
  ...['-O3', '--enable', 'simd', '--runtime', 'stub', '--use', 'abort='],
  ...['--importMemory', '--initialMemory', '1'],
];

/** Bytes of the module. */
async function compile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-vectors-'));
  const outFile = join(folder, 'code.wasm');
  try {
    const asc = join(root, 'node_modules/.bin/asc');
    const { code, all } = await run(asc, [source, ...options, '--outFile', outFile], { cwd: root });
    if (code !== 0) throw new Error(`The loops over bytes cannot be compiled:\n${all}`);
    return await readFile(outFile);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export const renderVectors = async (): Promise<string> =>
  `// Made of assembly/ by \`npm run docs\`: WebAssembly, in Base64.\nexport const code =\n  '${(await compile()).toString('base64')}';\n`;
