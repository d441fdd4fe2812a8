import { describe, expect, it } from 'vitest';
import { purchase } from '../../../examples/purchase.ts';
import { days, minutes } from '../../../lib/core/time.ts';
import { sweep } from '../../../lib/job/sweep/reaper.ts';
import { type JobRow, refOf } from '../../../lib/job/row.ts';
import { sendSignal } from '../../../lib/job/waits/signal.ts';
import { createPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

const small = { item: 'cups', pieces: 4, centsEach: 250 };
const large = { item: 'desks', pieces: 4, centsEach: 25_000 };

const resultOf = ({ result }: JobRow): unknown =>
  result !== undefined && 'inline' in result ? JSON.parse(result.inline) : undefined;

/** A purchase that was submitted and run as far as it goes by itself. */
async function buy(input: object) {
  const world = createPipelineWorld([purchase]);
  const { id } = await world.submit(input);
  await world.execute(await world.claim());
  return { world, row: () => world.row(id), [Symbol.dispose]: () => world[Symbol.dispose]() };
}

async function decide(world: PipelineWorld, row: JobRow, told: unknown): Promise<void> {
  await sendSignal(world.engine, refOf(row), 'approval', told);
  await world.execute(await world.claim());
}

describe('a purchase', () => {
  it('that is small goes through without anybody', async () => {
    using bought = await buy(small);
    expect(resultOf(await bought.row())).toMatchObject({ cents: 1000, approvedBy: 'nobody' });
  });

  it('that is large waits, and goes on with who approved it, pricing nothing again', async () => {
    using bought = await buy(large);
    const { world, row } = bought;
    const waiting = await row();
    expect(waiting).toMatchObject({ status: 'parked', parked: 'signal:approval', stage: 'price' });
    await decide(world, waiting, { approve: true, by: 'Ada' });
    const { order, ...rest } = resultOf(await row()) as { readonly order: string };
    expect(rest).toEqual({ item: 'desks', pieces: 4, cents: 100_000, approvedBy: 'Ada' });
    const written = Buffer.from((await world.objects.get(order))!).toString();
    expect(JSON.parse(written)).toEqual({ ...rest, reference: waiting.id });
    expect(world.objects.keys().filter((key) => key.endsWith('order.json'))).toEqual([order]);
  });

  it('that is refused ends as cancelled, and says by whom', async () => {
    using bought = await buy(large);
    const { world, row } = bought;
    await decide(world, await row(), { approve: false, by: 'Grace' });
    expect(await row()).toMatchObject({ status: 'cancelled', error: { detail: 'Grace said no.' } });
  });

  it('that is told something else fails for good, since the first word counts', async () => {
    using bought = await buy(large);
    const { world, row } = bought;
    await decide(world, await row(), 'yes');
    expect(await row()).toMatchObject({ status: 'failed', error: { code: 'HANDLER_TERMINAL' } });
  });

  it('that nobody decides on is cancelled after a week', async () => {
    using bought = await buy(large);
    const { world, row } = bought;
    await world.clock.advance(days(7));
    await world.clock.advance(minutes(1));
    await sweep(world.engine);
    await world.execute(await world.claim());
    expect(await row()).toMatchObject({ status: 'cancelled', error: { detail: 'Nobody decided within a week.' } });
  });
});
