// `npm run build`: the sources as JavaScript with types, in dist/, for the package that `npm pack` makes: Node strips no types below
// node_modules. What the types must hold is checked by `npm run types`, over the sources.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { builtLockFile, nativeLock } from '../infra/native.ts';
import { run } from './cloud/run.ts';
import { root } from './cloud/settings.ts';

const dist = join(root, 'dist');

await rm(dist, { recursive: true, force: true });
const { code, all } = await run(join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.build.json'], {
  cwd: root,
});
if (code !== 0) {
  console.error(all.trimEnd());
  process.exit(1);
}
// npm leaves the lockfile out of a package; the versions and hashes of DuckDB are wanted where functions are bundled.
await writeFile(join(dist, builtLockFile), JSON.stringify(nativeLock().lock));
console.log('Built into dist/.');
