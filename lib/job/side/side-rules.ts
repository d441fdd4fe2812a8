// The rows beside the jobs (slots, flows, dedup keys, schedules, …) change by rules too: guards and effects as data, read by every
// store. A side rule makes the row where there is none; `deletes` takes it away. It never touches a job's row.
import type { Guard, Rule } from '../../rule/rule.ts';
import { gateRules } from '../gates/gate-rules.ts';
import { scheduleRules } from '../schedule/schedule-rules.ts';
import { sideRule } from './side-rule.ts';

/** Every side row that `create` made has it. */
const there = ['made', 'exists'] as const satisfies Guard;
const notThere = ['made', 'absent'] as const satisfies Guard;
/** A time-out of an earlier life of the job, before a redrive, holds no longer. */
const unsaid = { anyOf: [[notThere], [['timedOut', '<', ':life']]] } as const satisfies Guard;
const fewerEnded = { anyOf: [[['ended', 'absent']], [['ended', '<', ':limit']]] } as const satisfies Guard;

export const sideRules = {
  create: sideRule('Makes the row if there is none.', [notThere], [{ assign: ':fields' }, { set: 'made', to: ':now' }]),
  remove: { ...sideRule('Takes the row away if it is there.', [there], []), deletes: true },
  'is-there': sideRule('Only tests that the row is there.', [there], []),
  'is-absent': sideRule('Only tests that there is no such row.', [notThere], []),
  ...gateRules,
  ...scheduleRules,
  signal: sideRule(
    'Tells a job something under a name, once.',
    [unsaid],
    [{ assign: ':fields' }, { set: 'made', to: ':now' }, { remove: 'timedOut' }],
  ),
  'time-out': sideRule(
    'Nobody has told the job in time; what is told later in this life of it comes too late.',
    [unsaid],
    [
      { set: 'timedOut', to: ':life' },
      { set: 'expiresAt', to: ':expiresAt' },
      { set: 'made', to: ':now' },
    ],
  ),
  'is-unsaid': sideRule('Only tests that the job was not told.', [unsaid], []),
  'child-ended': sideRule('Notes how a child ended, once.', [there, ['status', 'absent']], [{ assign: ':fields' }]),
  'count-ended': sideRule(
    'One more child has ended.',
    [],
    [
      { add: 'ended', by: 1 },
      { set: 'expiresAt', to: ':expiresAt' },
    ],
  ),
  'fewer-ended': sideRule('Only tests that fewer children than that have ended.', [fewerEnded], []),
  'take-key': sideRule(
    'A job takes a dedup key over, from a holder that has ended or ends in the same transaction.',
    [['holder', '=', ':holderRead']],
    [{ set: 'holder', to: ':holder' }, { remove: 'expiresAt' }],
  ),
  'forget-key': sideRule(
    'The holder of a dedup key has ended: the row may go when the job does.',
    [['holder', '=', ':holder']],
    [{ set: 'expiresAt', to: ':expiresAt' }],
  ),
  count: sideRule(
    'Counts more, or fewer, in a row that is there.',
    [there],
    [{ add: 'count', by: ':by' }, { assign: ':fields' }],
  ),
  'remove-empty': {
    ...sideRule('Takes a row away in which nothing is counted.', [there, ['count', '<=', 0]], []),
    deletes: true,
  },
  'add-counters': sideRule(
    'Adds to counters of a row, there or not.',
    [],
    [{ addEach: ':counters' }, { set: 'expiresAt', to: ':expiresAt' }],
  ),
  'take-place': sideRule(
    'Takes a place that is free, or whose taker has not left it in time.',
    [{ anyOf: [[['until', 'absent']], [['until', '<=', ':now']]] }],
    [
      { set: 'taker', to: ':taker' },
      { set: 'until', to: ':until' },
      { set: 'expiresAt', to: ':expiresAt' },
    ],
  ),
  'leave-place': { ...sideRule('Frees a place.', [['taker', '=', ':taker']], []), deletes: true },
  change: sideRule(
    'Changes the row if nobody has since it was read.',
    [there, ['serial', '=', ':serial']],
    [{ assign: ':fields' }, { add: 'serial', by: 1 }],
  ),
} as const satisfies Record<string, Rule>;

export type SideRules = typeof sideRules;
export type SideRuleName = keyof SideRules;
