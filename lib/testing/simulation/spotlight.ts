// The spotlight: in half of the runs a rare rule stands in it. More is done that leads to the rule, and its writes meet more faults, so that
// every rule meets every fault.
import type { Draws } from './draws.ts';

interface Lit {
  readonly spotlight?: string | undefined;
}
interface Strikes {
  readonly crash: number;
  readonly freeze: number;
}
interface Calls {
  readonly lateCall: number;
  readonly slowCall: number;
}

/** Rules that few jobs of a run come to, and how often each stands in the spotlight. */
const weights = {
  fail: 2,
  checkpoint: 4,
  exhaust: 3,
  crash: 2,
  'reap-execution': 2,
  bury: 1,
  'request-cancel': 1,
  cancelled: 2,
  cancel: 1,
  drop: 2,
  defer: 2,
  reclaim: 3,
  entomb: 3,
  discard: 4,
  pay: 1,
  redrive: 1,
  hold: 1,
  'side/draw-step': 4,
  'side/grant-step': 2,
  'side/take-key': 3,
  'side/remove-empty': 3,
  'side/create-schedule': 3,
  'side/remove-schedule': 2,
  'side/time-out': 2,
  'side/set-guard': 1,
  'side/look': 1,
} as const;

const rare = Object.entries(weights).flatMap(([rule, weight]) => Array.from({ length: weight }, () => rule));

export function spotlightOf(draws: Draws): string | undefined {
  const drawn = draws.draw('run', 'spotlight');
  return drawn < 0.5 ? undefined : rare[Math.floor((drawn - 0.5) * 2 * rare.length)];
}

/** How much more often than others a call in the spotlight meets a fault. */
export const boostOf = ({ spotlight }: Lit, rules: readonly string[] = []): number =>
  spotlight !== undefined && rules.includes(spotlight) ? 3 : 1;

/** How much more often a process dies or freezes that waits for a call in the spotlight. */
const STRIKES_MORE = 8;
/** A process that froze goes on, so there is no end to what more of it may teach; one that died has left its rule for good. */
const FREEZES_MORE = 20;
const MOST_STRIKES = 0.4;

/** How probable it is that a process that waits for a call in the spotlight dies, and that it freezes, at an event. */
export function strikesIn({ crash, freeze }: Strikes): Strikes {
  const both = crash + freeze;
  return {
    crash: Math.min(MOST_STRIKES, both * STRIKES_MORE),
    freeze: freeze === 0 ? 0 : Math.min(MOST_STRIKES, both * FREEZES_MORE),
  };
}

/** What goes wrong in a run, where a rule needs more of it to meet each fault. */
export function inSpotlight<T extends Lit & Strikes & Calls>(faults: T): T {
  if (faults.spotlight === undefined) return faults;
  return {
    ...faults,
    freeze: Math.max(faults.freeze, 0.003),
    lateCall: Math.max(faults.lateCall, 0.04),
    ...(faults.spotlight === 'crash' ? { crash: Math.max(faults.crash, 0.02) } : {}),
    // Its index entry moves only where it comes so late that a sweep has seen a lease of a later heartbeat.
    ...(faults.spotlight === 'checkpoint' ? { staleIndex: 0.9, slowCall: Math.max(faults.slowCall, 0.04) } : {}),
    ...(faults.spotlight === 'discard' ? { deploys: 1 } : {}),
  };
}

/** What operators do to most jobs of a run. */
const acts: Readonly<Record<string, readonly string[]>> = {
  cancelled: ['cancel'],
  'request-cancel': ['cancel'],
  'side/remove-empty': ['redrive', 'discard'],
};
export const isLitAct = ({ spotlight = '' }: Lit, act: string): boolean =>
  act === spotlight || acts[spotlight]?.includes(act) === true;

/** How handlers end, where the rule needs one that fails: for good, or once more. */
const endings: Readonly<Record<string, 'for good' | 'once more'>> = {
  fail: 'for good',
  discard: 'for good',
  'side/remove-empty': 'for good',
  exhaust: 'once more',
};
export const litEnding = ({ spotlight = '' }: Lit): 'for good' | 'once more' | undefined => endings[spotlight];
