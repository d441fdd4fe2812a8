// The rules as DynamoDB reads them: one condition and one update of one item. `decide` is the same in memory; a test holds both to it.
import { must } from '../../core/check.ts';
import { fieldsOf } from '../../rule/decide.ts';
import {
  type Effect,
  effectsOf,
  type Guard,
  guardsOf,
  type Operand,
  paramOf,
  type RuleWrite,
} from '../../rule/rule.ts';
import { createPlaceholders, type Placeholders } from './expression.ts';
import { reduceAll } from './reduce.ts';

type Params = RuleWrite['params'];
type Bound = ReturnType<Placeholders['bound']>;

/** The condition alone: for the put that creates a row. */
export function toCondition({ rule, params }: RuleWrite): Bound & { readonly ConditionExpression: string } {
  const placeholders = createPlaceholders();
  const ConditionExpression = conditionOf(guardsOf(rule), params, placeholders);
  return { ConditionExpression, ...placeholders.bound() };
}

/** The condition and the update of a rule on a row that exists. */
export function toUpdate(
  write: RuleWrite,
): Bound & { readonly ConditionExpression: string; readonly UpdateExpression: string } {
  const placeholders = createPlaceholders();
  const ConditionExpression = conditionOf(guardsOf(write.rule), write.params, placeholders);
  const UpdateExpression = updateOf(effectsOf(write.name, write.rule), write.params, placeholders);
  return { ConditionExpression, UpdateExpression, ...placeholders.bound() };
}

function conditionOf(guards: readonly Guard[], params: Params, placeholders: Placeholders): string {
  const reduced = reduceAll(guards, params);
  if (typeof reduced !== 'boolean') return allOf(reduced, params, placeholders);
  const key = placeholders.name('pk');
  // One that can never hold is sent all the same: the refusal carries the row.
  return `attribute_exists(${key}) ${reduced ? 'OR' : 'AND'} attribute_not_exists(${key})`;
}

const allOf = (guards: readonly Guard[], params: Params, placeholders: Placeholders): string =>
  guards.map((guard) => clauseOf(guard, params, placeholders)).join(' AND ');

/** The clause of a guard that is reduced already. */
function clauseOf(guard: Guard, params: Params, placeholders: Placeholders): string {
  if ('anyOf' in guard) return `(${guard.anyOf.map((all) => `(${allOf(all, params, placeholders)})`).join(' OR ')})`;
  if ('unlessGiven' in guard) return clauseOf(guard.guard, params, placeholders);
  const [attribute, test, operand] = guard;
  const name = placeholders.name(attribute);
  if (test === 'exists') return `attribute_exists(${name})`;
  if (test === 'absent') return `attribute_not_exists(${name})`;
  if (test === 'in') return `${name} IN (${operand.map((each) => placeholders.value(each)).join(', ')})`;
  return `${name} ${test} ${must(operandOf(operand, params, placeholders), `the operand of ${attribute}`)}`;
}

function operandOf(operand: Operand, params: Params, placeholders: Placeholders): string | undefined {
  if (typeof operand === 'object') return placeholders.name(operand.attribute);
  const name = paramOf(operand);
  const value = name === undefined ? operand : params[name];
  return value === undefined ? undefined : placeholders.value(value);
}

/** Later effects on an attribute replace earlier ones: DynamoDB takes one action an attribute. */
function updateOf(effects: readonly Effect[], params: Params, placeholders: Placeholders): string {
  const actions = new Map<string, Single>();
  for (const effect of effects.flatMap((each) => spelledOut(each, params))) actions.set(attributeOf(effect), effect);
  const sections = { SET: [] as string[], REMOVE: [] as string[], ADD: [] as string[] };
  for (const [attribute, effect] of actions) {
    if ('add' in effect) {
      const by = must(operandOf(effect.by, params, placeholders), `how much to add to ${attribute}`);
      sections.ADD.push(`${placeholders.name(attribute)} ${by}`);
      continue;
    }
    const value =
      'value' in effect
        ? placeholders.value(effect.value)
        : 'to' in effect
          ? operandOf(effect.to, params, placeholders)
          : undefined;
    if (value !== undefined) sections.SET.push(`${placeholders.name(attribute)} = ${value}`);
    else if ('set' in effect) must(value, `the value of ${attribute}`);
    else if (!('keepOrSet' in effect)) sections.REMOVE.push(placeholders.name(attribute));
  }
  return Object.entries(sections)
    .filter(([, clauses]) => clauses.length > 0)
    .map(([section, clauses]) => `${section} ${clauses.join(', ')}`)
    .join(' ');
}

type Single =
  | Exclude<Effect, { assign: unknown } | { addEach: unknown }>
  | { readonly set: string; readonly value: unknown };

/** An `assign` or an `addEach` as one effect an attribute. */
function spelledOut(effect: Effect, params: Params): readonly Single[] {
  if ('assign' in effect)
    return Object.entries(fieldsOf(effect.assign, params)).map(([set, value]) => ({ set, value }));
  if (!('addEach' in effect)) return [effect];
  return Object.entries(fieldsOf(effect.addEach, params)).map(([add, by]) => ({ add, by: Number(by) }));
}

function attributeOf(effect: Single): string {
  if ('set' in effect) return effect.set;
  if ('keepOrSet' in effect) return effect.keepOrSet;
  if ('setOrRemove' in effect) return effect.setOrRemove;
  return 'remove' in effect ? effect.remove : effect.add;
}
