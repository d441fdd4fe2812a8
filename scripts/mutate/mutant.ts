// Puts a mutant into the rule tables of this process, for good: stores, readers of refusals and laws all see it.
import { jobRules } from '../../lib/job/rules.ts';
import { sideRules } from '../../lib/job/side/side-rules.ts';
import { type Mutant, mutantsOf, type Table } from '../../lib/testing/mutants.ts';

/** Every mutant of both tables; those of side rules are named `side/…`. */
export const everyMutant = (): readonly Mutant[] => [
  ...mutantsOf(jobRules),
  ...mutantsOf(sideRules).map((mutant) => ({ ...mutant, name: `side/${mutant.name}` })),
];

const whole: { readonly job: Table; readonly side: Table } = { job: { ...jobRules }, side: { ...sideRules } };

/** Takes the place of the mutant before it. Throws a RangeError for an unknown name. */
export function useMutant(name: string): Mutant {
  Object.assign(jobRules, whole.job);
  Object.assign(sideRules, whole.side);
  const mutant = everyMutant().find((each) => each.name === name);
  if (mutant === undefined) throw new RangeError(`no mutant is named ${name}`);
  Object.assign(name.startsWith('side/') ? sideRules : jobRules, { [mutant.ruleName]: mutant.rule });
  return mutant;
}
