#!/usr/bin/env node
// The command `millrace`: in a checkout its source under the pinned Node, in an installed package what was built of it.
import { existsSync } from 'node:fs';

const source = new URL('../lib/cli/main.ts', import.meta.url);
if (existsSync(source)) {
  const { installPackages } = await import('../scripts/setup/packages.mjs');
  const { relaunch } = await import('../scripts/setup/launch.mjs');
  await installPackages((line) => console.error(line));
  process.exitCode = await relaunch('lib/cli/main.ts', process.argv.slice(2));
} else {
  await import(new URL('../dist/lib/cli/main.js', import.meta.url).href);
}
