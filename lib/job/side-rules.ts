// The rows beside the jobs (slots, flows, dedup keys, schedules, …) change by rules too: guards and effects as data, read by every
// store. A side rule makes the row where there is none; `deletes` takes it away. It never touches a job's row.
import type { Guard, Rule } from '../rule/rule.ts';

const sideRule = <const About extends string, const When, const Then>(about: About, when: When, then: Then) =>
  ({ about, from: [], when, then, quiet: true, ownedBy: [] }) as const;

/** Every side row that `create` made has it. */
const there = ['made', 'exists'] as const satisfies Guard;
const notThere = ['made', 'absent'] as const satisfies Guard;

export const sideRules = {
  create: sideRule('Makes the row if there is none.', [notThere], [{ assign: ':fields' }, { set: 'made', to: ':now' }]),
  remove: { ...sideRule('Takes the row away if it is there.', [there], []), deletes: true },
  'is-there': sideRule('Only tests that the row is there.', [there], []),
  'is-absent': sideRule('Only tests that there is no such row.', [notThere], []),
} as const satisfies Record<string, Rule>;

export type SideRules = typeof sideRules;
export type SideRuleName = keyof SideRules;
