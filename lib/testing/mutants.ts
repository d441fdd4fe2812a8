// A rule table with one thing taken out: a guard, an effect, or a way to recognise one's own work. As data, for whoever checks that some
// test or law turns red.
import { effectText, guardText } from '../rule/matrix.ts';
import type { Guard, Rule } from '../rule/rule.ts';

export type Table = Readonly<Record<string, Rule>>;

export interface Mutant {
  /** E.g. `claim: guard epoch = :epoch`. */
  readonly name: string;
  readonly ruleName: string;
  /** The rule without it. */
  readonly rule: Rule;
}

/** Every mutant of a table, in its order. */
export const mutantsOf = (table: Table): Mutant[] =>
  Object.entries(table).flatMap(([name, rule]) => [
    ...withoutStatus(name, rule),
    ...without(name, rule, 'when', 'guard', guardsWithout(rule.when)),
    ...rule.then.map((effect, place) =>
      mutant(name, `effect ${effectText(effect)}`, { ...rule, then: leaveOut(rule.then, place) }),
    ),
    ...without(name, rule, 'ownedBy', 'own work', guardsWithout(rule.ownedBy)),
    ...withoutDelete(name, rule),
  ]);

interface Reduced {
  readonly left: readonly Guard[];
  readonly out: string;
}

const mutant = (ruleName: string, what: string, rule: Rule): Mutant => ({
  name: `${ruleName}: ${what}`,
  ruleName,
  rule,
});

const without = (
  name: string,
  rule: Rule,
  part: 'when' | 'ownedBy',
  word: string,
  reduced: readonly Reduced[],
): Mutant[] => reduced.map(({ left, out }) => mutant(name, `${word} ${out}`, { ...rule, [part]: left }));

const allStatuses = ['queued', 'parked', 'running', 'succeeded', 'failed', 'cancelled', 'dead'];

/** A rule that tests its status lets every status through. */
const withoutStatus = (name: string, rule: Rule): Mutant[] =>
  rule.from.length === 0
    ? []
    : [mutant(name, `guard status in ${rule.from.join(', ')}`, { ...rule, from: allStatuses })];

function withoutDelete(name: string, { deletes, ...rule }: Rule): Mutant[] {
  return deletes === true ? [mutant(name, 'effect the row goes', rule)] : [];
}

/** Each guard left out, at every depth; a conjunction that loses its last guard always holds. */
function guardsWithout(guards: readonly Guard[]): Reduced[] {
  return guards.flatMap((guard, place) => {
    const inPlace = (changed: Guard): readonly Guard[] => guards.map((each, at) => (at === place ? changed : each));
    const whole = { left: leaveOut(guards, place), out: guardText(guard) };
    if (!('anyOf' in guard)) return [whole];
    const inside = guard.anyOf.flatMap((all, branch) =>
      guardsWithout(all).map(({ left, out }) => ({
        left: inPlace({ anyOf: guard.anyOf.map((each, at) => (at === branch ? left : each)) }),
        out: `${out} of the branch ${all.map(guardText).join(' and ')}`,
      })),
    );
    const branches = guard.anyOf.map((all, branch) => ({
      left: inPlace({ anyOf: leaveOut(guard.anyOf, branch) }),
      out: `the way by ${all.map(guardText).join(' and ')}`,
    }));
    return [whole, ...inside, ...branches];
  });
}

const leaveOut = <T>(list: readonly T[], place: number): readonly T[] => list.filter((_, at) => at !== place);
