// A pipeline's run holds its place from the claim until the job leaves running, whoever ends it.
import { describe, expect, it } from 'vitest';
import { must } from '../../lib/core/check.ts';
import { createWorker } from '../../lib/job/run/worker.ts';
import { counterOf, heldOf } from '../../lib/job/gates/slots.ts';
import { lettersPipeline } from '../support/letters.ts';
import { createPipelineWorld, type PipelineWorld, scope } from '../support/pipeline-world.ts';

const limited = () => [{ ...lettersPipeline().definition, concurrency: { limit: 1 } }];

async function held({ store }: PipelineWorld, kind: string): Promise<number> {
  return heldOf(await store.getSide(counterOf(scope, kind)));
}

/** The first run is claimed, the second finds its place taken. */
async function oneAndOther(world: PipelineWorld) {
  const first = await world.submit('>');
  const bell = await world.claim();
  const second = await world.submit('>');
  const heard = await createWorker(world.engine).hear(must(world.bells.at(-1), 'a doorbell'));
  expect(heard).toMatchObject({ kind: 'parked', row: { id: second.id, parked: `slot:${first.kind}` } });
  return { first, bell, second };
}

describe('the place of a pipeline', () => {
  it('is held through all stages, and the next run has it afterwards', async () => {
    using world = createPipelineWorld(limited());
    const { first, bell, second } = await oneAndOther(world);
    for (const { name } of limited()[0]!.steps) {
      expect(await held(world, first.kind)).toBe(1);
      expect(await world.step(bell, name)).toBeUndefined();
    }
    expect(await world.row(first.id)).toMatchObject({ status: 'succeeded' });
    expect(await held(world, first.kind)).toBe(0);
    expect(await world.row(second.id)).toMatchObject({ status: 'queued', rule: 'unpark' });
    expect(await world.execute(await world.claim())).toBeUndefined();
    expect(await world.row(second.id)).toMatchObject({ status: 'succeeded' });
  });

  it('is given back by the settle of an execution that was stopped', async () => {
    using world = createPipelineWorld(limited());
    const { first, bell, second } = await oneAndOther(world);
    expect(await world.settle(bell, 'it was stopped')).toMatchObject({ kind: 'settled', row: { rule: 'snooze' } });
    expect(await held(world, first.kind)).toBe(0);
    expect(await world.row(second.id)).toMatchObject({ status: 'queued', rule: 'unpark' });
  });
});
