// The pure reading of a rule: what a store's conditional write would answer, decided in memory.
import { must } from '../core/check.ts';
import {
  type Comparison,
  type Effect,
  effectsOf,
  type Guard,
  guardsOf,
  type Operand,
  paramOf,
  type Row,
  type RuleWrite,
} from './rule.ts';

export type Decision =
  | { readonly kind: 'applied'; readonly row: Row }
  | { readonly kind: 'refused'; readonly found: Row | undefined };

type Params = RuleWrite['params'];

/** What the write makes of the row. `created` is the row that a rule without a `from` starts from. */
export function decide(write: RuleWrite, found: Row | undefined, created?: Row): Decision {
  if (!guardsOf(write.rule).every((guard) => holds(guard, found ?? {}, write.params)))
    return { kind: 'refused', found };
  const creates = write.rule.from.length === 0;
  const next: Record<string, unknown> = { ...(creates ? must(created, 'the row to create') : found) };
  for (const effect of effectsOf(write.name, write.rule)) applyEffect(effect, next, write.params);
  return { kind: 'applied', row: next };
}

/** Whether the row found by a refused write is that write's own work (its answer was lost, or the SDK sent it twice). */
export const isOwnWork = (write: RuleWrite, found: Row | undefined): boolean =>
  found !== undefined &&
  write.rule.ownedBy.length > 0 &&
  write.rule.ownedBy.every((guard) => holds(guard, found, write.params));

/** Whether a guard holds for a row. */
export function holds(guard: Guard, row: Row, params: Params): boolean {
  if ('anyOf' in guard) return guard.anyOf.some((all) => all.every((each) => holds(each, row, params)));
  if ('unlessGiven' in guard) {
    return params[paramOf(guard.unlessGiven) ?? ''] !== undefined || holds(guard.guard, row, params);
  }
  const [attribute, test, operand] = guard;
  const value = row[attribute];
  if (test === 'exists') return value !== undefined;
  if (test === 'absent') return value === undefined;
  if (test === 'in') return operand.includes(value as string);
  return compare(value, test, valueOf(operand, row, params));
}

function compare(left: unknown, comparison: Comparison, right: unknown): boolean {
  if (left === undefined || right === undefined) return false;
  if (comparison === '=') return left === right;
  if (typeof left !== typeof right) return false;
  const [a, b] = [left as number, right as number];
  if (comparison === '<') return a < b;
  if (comparison === '<=') return a <= b;
  return comparison === '>' ? a > b : a >= b;
}

function valueOf(operand: Operand, row: Row, params: Params): unknown {
  if (typeof operand === 'object') return row[operand.attribute];
  const name = paramOf(operand);
  return name === undefined ? operand : params[name];
}

/** The attributes that an `assign` sets, or an `addEach` adds to: those of its parameter that have a value. */
export const fieldsOf = (operand: `:${string}`, params: Params): Row =>
  Object.fromEntries(Object.entries(params[operand.slice(1)] as Row).filter(([, value]) => value !== undefined));

function applyEffect(effect: Effect, row: Record<string, unknown>, params: Params): void {
  if ('remove' in effect) delete row[effect.remove];
  else if ('add' in effect) row[effect.add] = Number(row[effect.add] ?? 0) + Number(valueOf(effect.by, row, params));
  else if ('assign' in effect) Object.assign(row, fieldsOf(effect.assign, params));
  else if ('addEach' in effect) {
    for (const [name, by] of Object.entries(fieldsOf(effect.addEach, params)))
      row[name] = Number(row[name] ?? 0) + Number(by);
  } else if ('set' in effect) row[effect.set] = must(valueOf(effect.to, row, params), `a value for ${effect.set}`);
  else {
    const attribute = 'keepOrSet' in effect ? effect.keepOrSet : effect.setOrRemove;
    const value = valueOf(effect.to, row, params);
    if (value !== undefined) row[attribute] = value;
    else if ('setOrRemove' in effect) delete row[attribute];
  }
}
