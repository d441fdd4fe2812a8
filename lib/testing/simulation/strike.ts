// The faults of processes: they die, or sleep, in the midst of their calls.
import type { Actor } from './actor.ts';
import { judgeDeath } from './bounds.ts';
import { boostOf, strikesIn } from './spotlight.ts';
import type { World } from './world.ts';

/** Before each event of a process: it may die with whatever it waits for, or be put to sleep. */
export function strike(world: World, actor: Actor, now: number): void {
  const { faults } = world;
  if (faults.bounded && actor.role !== 'worker' && actor.role !== 'stage') return;
  const drawn = actor.draw('strike');
  const lit = faults.spotlight !== undefined && [...actor.underWay].some(({ rules }) => boostOf(faults, rules) > 1);
  const { crash, freeze } = lit ? strikesIn(faults) : faults;
  if (drawn > 1 - crash) {
    actor.alive = false;
    actor.crashed = true;
    tell(world, actor, 'crash');
    judgeDeath(world, actor);
    actor.died?.();
  } else if (drawn > 1 - crash - freeze) {
    actor.frozenUntil = now + actor.draw('frozen') * 150_000;
    tell(world, actor, 'freeze');
  }
}

function tell(world: World, actor: Actor, fault: 'crash' | 'freeze'): void {
  const calls = [...actor.underWay];
  world.note(actor, `${fault}${calls.length === 0 ? '' : ` during ${calls.map(({ what }) => what).join(', ')}`}`);
  world.suffers(
    fault,
    calls.flatMap(({ rules = [] }) => rules),
  );
}
