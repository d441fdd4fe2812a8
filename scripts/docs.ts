// Writes what is generated into docs/ (`npm run docs`), or with --check fails where a file is not what it would write.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from './cloud/settings.ts';
import { type GeneratedDoc, generatedDocs } from './docs/generated.ts';

/** The files that differ from what would be written now. */
export async function staleDocs(docs: readonly GeneratedDoc[] = generatedDocs, base = root): Promise<string[]> {
  const stale: string[] = [];
  for (const { file, render } of docs) {
    const current = await readFile(join(base, file), 'utf8').catch(() => undefined);
    if (current !== (await render())) stale.push(file);
  }
  return stale;
}

/** Writes the files that differ, and answers which. */
export async function writeDocs(docs: readonly GeneratedDoc[] = generatedDocs, base = root): Promise<string[]> {
  const stale = await staleDocs(docs, base);
  for (const { file, render } of docs.filter((doc) => stale.includes(doc.file))) {
    await mkdir(dirname(join(base, file)), { recursive: true });
    await writeFile(join(base, file), await render());
  }
  return stale;
}

if (import.meta.main) {
  if (process.argv.includes('--check')) {
    const stale = await staleDocs();
    for (const file of stale) console.log(`${file} is stale: run npm run docs.`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    const written = await writeDocs();
    console.log(written.length === 0 ? 'Every generated file is current.' : `Written: ${written.join(', ')}`);
  }
}
