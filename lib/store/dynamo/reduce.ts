// Guards with the parameters of one write put in: what needs no test, or can never hold, is gone before anything is rendered, since
// DynamoDB refuses a request that carries a name or a value which no expression uses.
import { type Guard, paramOf, type RuleWrite } from '../../rule/rule.ts';

type Params = RuleWrite['params'];

/** What is left to test; `true` needs no test, `false` can never hold. */
export function reduceAll(guards: readonly Guard[], params: Params): readonly Guard[] | boolean {
  const reduced = guards.map((guard) => reduce(guard, params));
  if (reduced.includes(false)) return false;
  const left = reduced.filter((each) => typeof each !== 'boolean').flatMap(unwrapped);
  return left.length === 0 ? true : left;
}

/** A single alternative needs no parentheses, and DynamoDB refuses a pair too many. */
function unwrapped(guard: Guard): readonly Guard[] {
  const [only, ...others] = 'anyOf' in guard ? guard.anyOf : [];
  return only !== undefined && others.length === 0 ? only : [guard];
}

function reduce(guard: Guard, params: Params): Guard | boolean {
  if ('anyOf' in guard) return reduceAny(guard.anyOf, params);
  if ('unlessGiven' in guard) {
    return params[paramOf(guard.unlessGiven) ?? ''] !== undefined || reduce(guard.guard, params);
  }
  const [, test, operand] = guard;
  if (test === 'exists' || test === 'absent') return guard;
  if (test === 'in') return operand.length > 0 && guard;
  const name = typeof operand === 'object' ? undefined : paramOf(operand);
  return (name === undefined || params[name] !== undefined) && guard;
}

function reduceAny(alternatives: readonly (readonly Guard[])[], params: Params): Guard | boolean {
  const reduced = alternatives.map((all) => reduceAll(all, params));
  if (reduced.includes(true)) return true;
  const left = reduced.filter((each) => typeof each !== 'boolean');
  return left.length > 0 && { anyOf: left };
}
