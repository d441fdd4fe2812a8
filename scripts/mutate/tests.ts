// Runs the fast tests of the protocol with a mutant in the rule tables.
import { spawn } from 'node:child_process';
import * as z from 'zod';
import { root } from '../cloud/settings.ts';

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** The first test that turns red; undefined when none does. */
export async function killedByTests(mutant: string): Promise<string | undefined> {
  const report = await runVitest(
    ['run', '--config', 'vitest.mutants.config.ts', '--reporter', 'json', '--bail', '1'],
    mutant,
  );
  const parsed = reportSchema.safeParse(JSON.parse(report));
  if (!parsed.success) return undefined;
  for (const { name, status, assertionResults } of parsed.data.testResults) {
    const failed = assertionResults.find((each) => each.status === 'failed');
    if (failed !== undefined) return `test: ${failed.fullName}`;
    if (status === 'failed') return `test: ${name.slice(root.length + 1)}`;
  }
  return undefined;
}

function runVitest(args: readonly string[], mutant: string): Promise<string> {
  const child = spawn('vitest', args, {
    cwd: root,
    env: { ...process.env, MILLRACE_MUTANT: mutant },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const parts: Buffer[] = [];
  child.stdout.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => {
      const text = Buffer.concat(parts).toString('utf8');
      resolve(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
    });
  });
}
