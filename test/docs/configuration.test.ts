import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingsSchema } from '../../infra/settings.ts';
import { environments, variables } from '../../lib/config/environment.ts';
import { toolVariables } from '../../lib/config/tools.ts';
import { root } from '../../scripts/cloud/settings.ts';
import { renderConfiguration } from '../../scripts/docs/configuration.ts';

const sources = async (folder: string): Promise<{ file: string; text: string }[]> => {
  const names = await readdir(join(root, folder), { recursive: true });
  const files = names.filter((name) => /\.(ts|mjs)$/.test(name)).map((name) => join(folder, name));
  return Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })));
};

const READ = /\b(?:process\.env|env|from)(?:\??\.)?\[\s*'([A-Za-z_]+)'\s*\]|\bprocess\.env\.([A-Za-z_]+)/g;

it('every variable that code reads is told of', async () => {
  const all = (await Promise.all(['lib', 'functions', 'infra', 'scripts', 'bin'].map(sources))).flat();
  const read = all.flatMap(({ file, text }) =>
    [...text.matchAll(READ)].map(([, one, other]) => ({ file, name: one ?? other ?? '' })),
  );
  expect(read.length).toBeGreaterThan(10);
  const known = new Set([...Object.keys(variables), ...Object.keys(toolVariables)]);
  expect(read.filter(({ name }) => !known.has(name))).toEqual([]);
});

it('the library reads the environment in its configuration only', async () => {
  const found = (await sources('lib')).filter(
    ({ file, text }) => !file.startsWith('lib/config/') && /\bprocess\.env\b/.test(text),
  );
  expect(found.map(({ file }) => file)).toEqual([]);
});

it('every variable of the functions is read by one, and each flag and variable has a sentence', () => {
  const read = new Set<string>(Object.values(environments).flat());
  expect(Object.keys(variables).filter((name) => !read.has(name))).toEqual([]);
  const page = renderConfiguration();
  for (const name of [...Object.keys(settingsSchema.shape), ...Object.keys(variables), ...Object.keys(toolVariables)])
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` \\|.*\\w{3}.*\\.? \\|$`, 'm'));
  expect(page).not.toMatch(/\|\s{2}\|$/m);
});
