// A process of the simulation: its clock is off by `skew`, it runs one release of the code, and its events stop when it dies.
import type { Draws } from './draws.ts';

export interface Call {
  /** What is called, for the trace. */
  readonly what: string;
  /** Set for a write of rules; those of side rows are named `side/<rule>`. */
  readonly rules?: readonly string[] | undefined;
  readonly job?: string | undefined;
  /** Several items in one transaction: it may run into another one. */
  readonly transaction?: boolean | undefined;
}

export type Role = 'api' | 'worker' | 'stage' | 'settle' | 'reaper' | 'relay' | 'operator';

export interface Actor {
  readonly name: string;
  readonly role: Role;
  /** Milliseconds. */
  readonly skew: number;
  /** Which release of the code it runs. */
  readonly release: number;
  alive: boolean;
  /** It died in the middle of something. */
  crashed: boolean;
  /** Called when it crashes. */
  died?: () => void;
  /** Its events wait until then: a process that the machine has put to sleep. */
  frozenUntil: number;
  /** The calls that it waits for. */
  readonly underWay: Set<Call>;
  /** The rule that it wrote last, by job. */
  readonly lastRule: Map<string, string>;
  /** How the message came that it hears, where something was odd about it. */
  heard?: 'doubled message' | 'late message' | undefined;
  draw(purpose: string): number;
}

export function createActor(
  draws: Draws,
  role: Role,
  count: number,
  { skew, release }: { readonly skew: number; readonly release: number },
): Actor {
  const name = `${role}-${count}`;
  const draw = draws.of(name);
  return {
    name,
    role,
    skew: (draw('skew') - draw('skew back')) * skew,
    release,
    alive: true,
    crashed: false,
    frozenUntil: 0,
    underWay: new Set(),
    lastRule: new Map(),
    draw,
  };
}
