// The kind that docs/your-first-job.md shows, run as it says there: what the page promises is what comes out.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { startEmbedded } from '../../functions/embedded.ts';
import { silentLog } from '../../lib/core/log.ts';
import { readOwnKinds } from '../../lib/pipeline/own-kinds.ts';
import { freePort } from '../../scripts/cloud/port.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/your-first-job.md'), 'utf8');
const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
const submissions = [...page.matchAll(/-d '(\{.*\})'/g)].map(([, json = '']) => json);
const answers = [...page.matchAll(/```json\n(\{.*\})\n```/g)].map(([, json = '']) => JSON.parse(json) as Answer);

interface Answer {
  readonly status: string | number;
  readonly result?: unknown;
  readonly errors?: unknown;
}

it('brings the kind of the page to run, with the answers of the page', async () => {
  mkdirSync(join(root, '.cache'), { recursive: true });
  // Below the checkout, where the file finds `millrace` and zod as it does in its root.
  const folder = mkdtempSync(join(root, '.cache/first-job-'));
  writeFileSync(join(folder, 'orders.ts'), code);
  const { kinds } = (await import(join(folder, 'orders.ts'))) as { readonly kinds: unknown };
  const options = { directory: join(folder, 'data'), port: await freePort(), log: silentLog };
  const service = await startEmbedded({ ...options, kinds: readOwnKinds(kinds, 'orders.ts') });
  try {
    const key = await service.makeKey('docs', 'main', 'docs');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=20' };
    const [ran, refused] = await Promise.all(
      submissions.map(async (body) => {
        const answer = await fetch(`${service.url}/v1/jobs`, { method: 'POST', headers, body });
        return (await answer.json()) as Answer;
      }),
    );
    const [shown, shownRefusal, onCloud] = answers;
    expect(ran).toMatchObject({ status: shown!.status, result: shown!.result });
    expect(refused).toMatchObject({ status: 422, errors: shownRefusal!.errors });
    expect(onCloud).toMatchObject({ status: ran!.status, result: ran!.result });
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
