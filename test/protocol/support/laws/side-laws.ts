// The laws of the side rules: each applies exactly when its spec says so, and leaves exactly what that says.
import * as fc from 'fast-check';
import { asError } from '../../../../lib/core/check.ts';
import { type SideRuleName, sideRules } from '../../../../lib/job/side/side-rules.ts';
import { decide } from '../../../../lib/rule/decide.ts';
import type { Rule } from '../../../../lib/rule/rule.ts';
import { assigned, leftBy, sideSpec, type Values } from './side-spec.ts';

const number = fc.integer({ min: 0, max: 2 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const id = fc.constantFrom('a', 'b');
const state = fc.constantFrom('active', 'paused', 'disabled');

const someRow = fc.record({
  made: maybe(number),
  note: maybe(fc.constant('old')),
  held: maybe(number),
  lookedAt: maybe(number),
  looker: maybe(id),
  cursor: maybe(id),
  moves: maybe(number),
  since: maybe(number),
  state: maybe(state),
  reason: maybe(id),
  granted: maybe(fc.integer({ min: 1, max: 2 })),
  drawn: maybe(number),
  stepId: maybe(id),
  value: maybe(id),
  serial: maybe(number),
  ticks: maybe(number),
  removed: maybe(fc.constant(true)),
  nextAt: maybe(number),
  dueAt: maybe(number),
  expiresAt: maybe(number),
  lastAt: maybe(number),
  lastJob: maybe(id),
  timedOut: maybe(number),
  status: maybe(id),
  ended: maybe(number),
  holder: maybe(id),
  count: maybe(fc.integer({ min: -1, max: 2 })),
  taker: maybe(id),
  until: maybe(number),
});

const someParams = fc.record({
  now: number,
  before: number,
  looker: id,
  cursor: maybe(id),
  limit: number,
  moves: number,
  sinceRead: number,
  grantedRead: number,
  state,
  reason: maybe(id),
  stepId: id,
  value: id,
  serial: number,
  serialRead: maybe(number),
  ticks: number,
  nextAt: maybe(number),
  dueAt: number,
  expiresAt: number,
  life: number,
  holder: id,
  holderRead: id,
  by: fc.constantFrom(1, -1),
  taker: id,
  until: number,
});

const samples = fc.sample(fc.tuple(someRow, someParams), { numRuns: 600, seed: 1 });

const without = (row: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));

/** The first law that a side rule of the table, as it stands now, breaks. */
export function brokenSideLaw(name: SideRuleName): string | undefined {
  try {
    return samples.map(([row, params]) => broken(name, row, params)).find((law) => law !== undefined);
  } catch (thrown) {
    return `can be read: ${asError(thrown).message}`;
  }
}

function broken(name: SideRuleName, some: Values, params: Values): string | undefined {
  const rule: Rule = sideRules[name];
  const row = without(some);
  const given = { ...params, fields: assigned, counters: { count: 2 } };
  const decision = decide({ name, rule, params: given }, row, row);
  if ((decision.kind === 'applied') !== sideSpec[name].applies(some, params)) return 'applies exactly when it may';
  if (decision.kind === 'refused') return undefined;
  const left = rule.deletes === true ? undefined : decision.row;
  return isSame(left, leftBy(name, some, params)) ? undefined : 'leaves what it promises';
}

const isSame = (a: Readonly<Record<string, unknown>> | undefined, b: Readonly<Record<string, unknown>> | undefined) =>
  JSON.stringify(a && sorted(a)) === JSON.stringify(b && sorted(b));
const sorted = (row: Readonly<Record<string, unknown>>) =>
  Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1));
