// A rule table as tables for people: who goes where, under which guards, with which effects. Markdown, from the data alone.
import { type Effect, effectsOf, type Guard, type Operand, paramOf, type Rule } from './rule.ts';

type Table = Readonly<Record<string, Rule>>;

/** Which rules lead from a status (rows) to a status (columns). */
export function transitionMatrix(rules: Table, statuses: readonly string[]): string {
  const named = Object.entries(rules);
  const leading = (from: string | undefined, to: string): string =>
    named
      .filter(([, rule]) => (from === undefined ? rule.from.length === 0 : rule.from.includes(from)))
      .filter(([, rule]) => (rule.to ?? from) === to)
      .map(([name]) => `\`${name}\``)
      .join(' ');
  return markdownTable(
    ['from \\ to', ...statuses],
    [undefined, ...statuses].map((from) => [from ?? '(none)', ...statuses.map((to) => leading(from, to))]),
  );
}

/** Each rule with what it is for, its guards, its effects, and how a refused write recognises its own work. */
export const ruleTable = (rules: Table): string =>
  markdownTable(
    ['rule', 'from → to', 'for', 'guard', 'effects', 'its own work shows by'],
    Object.entries(rules).map(([name, rule]) => [
      `\`${name}\`${rule.quiet === true ? ' (quiet)' : ''}`,
      `${rule.from.join(', ') || '(none)'} → ${rule.to ?? 'same'}`,
      rule.about,
      rule.when.map(guardText).join('; '),
      effectsOf(name, rule).slice(commonEffects(rule)).map(effectText).join('; '),
      rule.ownedBy.map(guardText).join(' and ') || 'never',
    ]),
  );

/** What every loud rule does before its own effects: status, rule, writeId, version. */
const commonEffects = (rule: Rule): number => (rule.quiet === true ? 0 : rule.to === undefined ? 3 : 4);

/** A guard as one reads it aloud, e.g. `leaseUntil ≤ :now`. */
export function guardText(guard: Guard): string {
  if ('anyOf' in guard) return `(${guard.anyOf.map((all) => all.map(guardText).join(' and ')).join(' or ')})`;
  if ('unlessGiven' in guard) return `${guardText(guard.guard)} unless ${guard.unlessGiven.replace('?', '')} is given`;
  const [attribute, test, operand] = guard;
  if (test === 'exists' || test === 'absent') return `${attribute} ${test}`;
  if (test === 'in') return `${attribute} in ${operand.join(', ')}`;
  return `${attribute} ${test.replace('<=', '≤').replace('>=', '≥')} ${operandText(operand)}`;
}

export function effectText(effect: Effect): string {
  if ('remove' in effect) return `−${effect.remove}`;
  if ('add' in effect) return `${effect.add} + ${operandText(effect.by)}`;
  if ('assign' in effect) return `the attributes of ${effect.assign}`;
  if ('addEach' in effect) return `each of ${effect.addEach} added`;
  if ('set' in effect) return `${effect.set} = ${operandText(effect.to)}`;
  if ('keepOrSet' in effect) return `${effect.keepOrSet} = ${operandText(effect.to)} if given`;
  return `${effect.setOrRemove} = ${operandText(effect.to)}, or removed`;
}

const operandText = (operand: Operand): string =>
  typeof operand === 'object'
    ? operand.attribute
    : paramOf(operand) === undefined
      ? String(operand)
      : `:${paramOf(operand) ?? ''}`;

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
