import type { Door } from './load.ts';

/** The orphan classes that are not empty, as `class: count`; GET /v1/orphans answers them. */
export async function orphansOf({ url, apiKey }: Door): Promise<readonly string[]> {
  const answer = await fetch(`${url}/v1/orphans`, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!answer.ok) throw new Error(`The orphans could not be asked for: ${answer.status} ${await answer.text()}`);
  const { classes } = (await answer.json()) as { classes: Record<string, readonly unknown[]> };
  return Object.entries(classes)
    .filter(([, found]) => found.length > 0)
    .map(([name, found]) => `${name}: ${found.length}`);
}
