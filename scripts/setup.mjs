// The first step of every npm script: plain JavaScript for Node 20 and newer, with nothing installed. It installs what
// package-lock.json names where that is missing, then runs the script that it was given under the pinned Node.
import { relaunch } from './setup/launch.mjs';
import { installPackages } from './setup/packages.mjs';

const [script, ...args] = process.argv.slice(2);
if (script === undefined) {
  console.error('usage: node scripts/setup.mjs <script> [arguments]');
  process.exit(2);
}

try {
  await installPackages((line) => console.error(line));
  process.exitCode = await relaunch(script, args);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  if (script === 'scripts/check.ts') console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
