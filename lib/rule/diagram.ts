import type { Rule } from './rule.ts';

/** A Mermaid state diagram of a rule table; rules between the same two statuses share an arrow, and `ends` lead to the end mark. */
export function stateDiagram(rules: Readonly<Record<string, Rule>>, ends: readonly string[]): string {
  const arrows = new Map<string, string[]>();
  for (const [name, rule] of Object.entries(rules)) {
    const sources = rule.from.length === 0 ? ['[*]'] : rule.from;
    for (const from of sources) {
      const arrow = `${from} --> ${rule.to ?? from}`;
      arrows.set(arrow, [...(arrows.get(arrow) ?? []), name]);
    }
  }
  return [
    'stateDiagram-v2',
    ...[...arrows].map(([arrow, names]) => `  ${arrow}: ${names.join(', ')}`),
    ...ends.map((status) => `  ${status} --> [*]`),
  ].join('\n');
}
