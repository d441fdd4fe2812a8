// What the rows beside the jobs promise, rule by rule, in plain words of code: when a write of one applies, and what it leaves. Told from
// what each feature needs, not from the table.
import type { SideRuleName } from '../../../../lib/job/side/side-rules.ts';
import type { Row } from '../../../../lib/rule/rule.ts';

/** Numbers and words as a side row, or a write of one, may hold them. */
export type Values = Readonly<Record<string, number | string | boolean | undefined>>;

interface Spec {
  readonly applies: (row: Values, params: Values) => boolean;
  /** Attributes that it leaves so; undefined: without it. The others are left alone. */
  readonly leaves: (row: Values, params: Values) => Values | 'gone';
}

const always = () => true;
const isThere = ({ made }: Values) => made !== undefined;
const noEffect = () => ({});
const num = (value: Values[string]) => Number(value ?? 0);
const stepsLeft = ({ granted, drawn }: Values) => granted !== undefined && num(drawn) < num(granted);
const isUnsaid = ({ made, timedOut }: Values, { life }: Values) =>
  made === undefined || (timedOut !== undefined && num(timedOut) < num(life));
const asRead = (name: string, read: string) => (row: Values, params: Values) =>
  row[name] === undefined || row[name] === params[read];

/** What `assign: ':fields'` sets in the cases of the laws. */
export const assigned = { note: 'new' } as const;

export const sideSpec: Readonly<Record<SideRuleName, Spec>> = {
  create: { applies: (row) => !isThere(row), leaves: (_row, { now }) => ({ ...assigned, made: now }) },
  remove: { applies: isThere, leaves: () => 'gone' },
  'is-there': { applies: isThere, leaves: noEffect },
  'is-absent': { applies: (row) => !isThere(row), leaves: noEffect },
  'take-slot': {
    applies: ({ held }, { limit }) => held === undefined || num(held) < num(limit),
    leaves: ({ held }) => ({ held: num(held) + 1 }),
  },
  'give-slot': { applies: ({ held }) => num(held) >= 1, leaves: ({ held }) => ({ held: num(held) - 1 }) },
  'slots-full': { applies: ({ held }, { limit }) => held !== undefined && num(held) >= num(limit), leaves: noEffect },
  look: {
    applies: ({ lookedAt }, { before }) => lookedAt === undefined || num(lookedAt) <= num(before),
    leaves: (_row, { now, looker, expiresAt }) => ({ lookedAt: now, looker, expiresAt }),
  },
  'looked-to': { applies: always, leaves: (_row, { cursor }) => ({ cursor }) },
  'move-bucket': { applies: asRead('moves', 'moves'), leaves: ({ moves }) => ({ ...assigned, moves: num(moves) + 1 }) },
  'set-flow': {
    applies: asRead('since', 'sinceRead'),
    leaves: (_row, { state, now, reason }) => ({
      state,
      since: now,
      made: now,
      reason,
      granted: undefined,
      drawn: undefined,
    }),
  },
  'flow-open': { applies: ({ state }) => state === undefined || state === 'active', leaves: noEffect },
  'flow-shut': { applies: (row) => row['state'] === 'paused' && !stepsLeft(row), leaves: noEffect },
  'flow-is': { applies: ({ state }, params) => state === params['state'], leaves: noEffect },
  'grant-step': {
    applies: (row, params) =>
      row['state'] === 'paused' &&
      row['since'] === params['sinceRead'] &&
      asRead('granted', 'grantedRead')(row, params),
    leaves: ({ granted }, { stepId }) => ({ granted: num(granted) + 1, stepId }),
  },
  'draw-step': {
    applies: (row) => row['state'] === 'paused' && stepsLeft(row),
    leaves: ({ drawn }) => ({ drawn: num(drawn) + 1 }),
  },
  'set-guard': {
    applies: asRead('since', 'sinceRead'),
    leaves: (_row, { value, now }) => ({ value, since: now }),
  },
  'guard-holds': { applies: asRead('value', 'value'), leaves: noEffect },
  'guard-is': { applies: ({ value }, params) => value === params['value'], leaves: noEffect },
  'change-schedule': {
    applies: ({ serial }, params) => serial === params['serial'],
    leaves: ({ serial }, { nextAt, dueAt }) => ({ ...assigned, nextAt, dueAt, ticks: 0, serial: num(serial) + 1 }),
  },
  'arm-schedule': {
    applies: ({ serial, ticks }, params) => serial === params['serial'] && ticks === params['ticks'],
    leaves: ({ ticks }, { dueAt }) => ({ dueAt, ticks: num(ticks) + 1 }),
  },
  'create-schedule': {
    applies: ({ serial, removed }, { serialRead }) =>
      serial === undefined || (removed === true && serial === serialRead),
    leaves: (_row, { now }) => ({
      ...assigned,
      made: now,
      removed: undefined,
      expiresAt: undefined,
      lastAt: undefined,
      lastJob: undefined,
    }),
  },
  'remove-schedule': {
    applies: ({ serial, removed }, params) => serial === params['serial'] && removed === undefined,
    leaves: ({ serial }, { expiresAt }) => ({
      removed: true,
      serial: num(serial) + 1,
      nextAt: undefined,
      dueAt: undefined,
      expiresAt,
    }),
  },
  signal: { applies: isUnsaid, leaves: (_row, { now }) => ({ ...assigned, made: now, timedOut: undefined }) },
  'time-out': {
    applies: isUnsaid,
    leaves: (_row, { life, expiresAt, now }) => ({ timedOut: life, expiresAt, made: now }),
  },
  'is-unsaid': { applies: isUnsaid, leaves: noEffect },
  'child-ended': { applies: (row) => isThere(row) && row['status'] === undefined, leaves: () => assigned },
  'count-ended': { applies: always, leaves: ({ ended }, { expiresAt }) => ({ ended: num(ended) + 1, expiresAt }) },
  'fewer-ended': {
    applies: ({ ended }, { limit }) => ended === undefined || num(ended) < num(limit),
    leaves: noEffect,
  },
  'take-key': {
    applies: ({ holder }, { holderRead }) => holder === holderRead,
    leaves: (_row, { holder }) => ({ holder, expiresAt: undefined }),
  },
  'forget-key': {
    applies: ({ holder }, params) => holder === params['holder'],
    leaves: (_row, { expiresAt }) => ({ expiresAt }),
  },
  count: { applies: isThere, leaves: ({ count }, { by }) => ({ ...assigned, count: num(count) + num(by) }) },
  'remove-empty': {
    applies: (row) => isThere(row) && row['count'] !== undefined && num(row['count']) <= 0,
    leaves: () => 'gone',
  },
  'add-counters': {
    applies: always,
    leaves: ({ count }, { expiresAt }) => ({ count: num(count) + 2, expiresAt }),
  },
  'take-place': {
    applies: ({ until }, { now }) => until === undefined || num(until) <= num(now),
    leaves: (_row, { taker, until, expiresAt }) => ({ taker, until, expiresAt }),
  },
  'leave-place': { applies: ({ taker }, params) => taker === params['taker'], leaves: () => 'gone' },
  change: {
    applies: (row, { serial }) => isThere(row) && row['serial'] === serial,
    leaves: ({ serial }) => ({ ...assigned, serial: num(serial) + 1 }),
  },
};

/** The row as the spec leaves it; undefined where it is gone. */
export function leftBy(name: SideRuleName, row: Values, params: Values): Row | undefined {
  const left = sideSpec[name].leaves(row, params);
  if (left === 'gone') return undefined;
  return Object.fromEntries(Object.entries({ ...row, ...left }).filter(([, value]) => value !== undefined));
}
