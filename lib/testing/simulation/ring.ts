// The faults of messages: they are lost, late or doubled.
import type { Doorbell } from '../../job/ports.ts';
import type { Actor } from './actor.ts';
import { judgeUnheard } from './bounds.ts';
import type { Faults } from './faults.ts';
import { shortId } from './short.ts';
import type { World } from './world.ts';

export function ring(world: World, actor: Actor, bell: Doorbell, lane: string, delay: number): void {
  const { faults, loop, queue } = world;
  const job = String(bell.ref.id);
  const row = world.store.row(bell.ref);
  const queuedBy = row?.status === 'queued' && row.rule !== 'hold' ? row.rule : undefined;
  const rule = actor.lastRule.get(job) === 're-arm' ? 're-arm' : queuedBy;
  const deliver = (extra: number, how?: Actor['heard']) => {
    const wait = delay + extra + world.draw('delivery') * 100;
    loop.after(wait, undefined, () => queue.deliver({ bell, lane, how }));
  };
  const drawn = world.draw('message');
  const fault = messageFault(drawn, faults);
  if (fault !== undefined) {
    world.note(actor, `${fault} for ${shortId(job)}`);
    world.suffers(fault, rule === undefined ? [] : [rule]);
  }
  if (fault === 'lost message') {
    world.unheard.add(`${job}/${bell.epoch}`);
    return judgeUnheard(world, bell.ref);
  }
  deliver(
    fault === 'late message' ? world.draw('lateness') * 120_000 : 0,
    fault === 'late message' ? fault : undefined,
  );
  if (fault === 'doubled message') deliver(world.draw('lateness') * 60_000, fault);
}

function messageFault(drawn: number, faults: Faults): 'lost message' | 'late message' | 'doubled message' | undefined {
  if (drawn > 1 - faults.lostMessage) return 'lost message';
  if (drawn > 1 - faults.lostMessage - faults.lateMessage) return 'late message';
  return drawn > 1 - faults.lostMessage - faults.lateMessage - faults.doubledMessage ? 'doubled message' : undefined;
}
