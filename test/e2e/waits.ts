import { expect, it } from 'vitest';
import { outcome } from './client.ts';
import type { World } from './world.ts';

/** Jobs that park: for their children, and because an operator holds a run between two stages. */
export function waits(world: World): void {
  const submit = async (kind: string, input: unknown): Promise<string> =>
    (await world.client.post('/v1/jobs', { json: { kind, input } })).body.id;
  const verb = (id: string, name: string, json?: object) =>
    world.client.post(`/v1/jobs/${id}/${name}`, json === undefined ? {} : { json });

  it('a parent goes on when its last child has ended, with what each came to, in order', async () => {
    const id = await submit('diagnostic.fan-out', { children: 4 });
    const parent = await world.client.ended(id);
    expect(parent).toMatchObject({ status: 'succeeded', attempts: 0, crashes: 0 });
    expect(parent.result.map(({ result }: { result: unknown }) => result)).toEqual(
      [1, 2, 3, 4].map((number) => ({ number })),
    );
    const { body } = await world.client.get(`/v1/jobs?parentId=${id}&limit=10`);
    expect(body.data.map((child: { id: string }) => child.id).sort()).toEqual(
      parent.result.map((child: { id: string }) => child.id).sort(),
    );
  });

  it('a run is held before a stage, stepped over it, and resumed', async () => {
    const id = await submit('purchase', { item: `lamps ${world.run}`, pieces: 1, centsEach: 25_000 });
    await verb(id, 'pause', { before: 'order' });
    await verb(id, 'signal', { name: 'approval', payload: { approve: true, by: 'Ada' } });
    const held = await world.client.until(`/v1/jobs/${id}`, ({ waiting }) => waiting?.reason === 'stage');
    expect(held).toMatchObject({ status: 'parked', stage: 'approve', hold: 'order' });
    expect(outcome(await verb(id, 'pause', { before: 'price' }))).toBe('422 VALIDATION_FAILED');
    expect((await verb(id, 'step')).body).not.toHaveProperty('hold');
    expect(await world.client.ended(id)).toMatchObject({ status: 'succeeded', result: { approvedBy: 'Ada' } });
    expect(outcome(await verb(id, 'resume'))).toBe('409 CONFLICT');
  });
}
