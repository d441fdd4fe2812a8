import { describe, expect, it } from 'vitest';
import { decide, holds, isOwnWork } from '../../../lib/rule/decide.ts';
import { stateDiagram } from '../../../lib/rule/diagram.ts';
import { guardText, ruleTable, transitionMatrix } from '../../../lib/rule/matrix.ts';
import type { Guard, Rule } from '../../../lib/rule/rule.ts';

const take: Rule = {
  about: 'Takes it.',
  from: ['open'],
  to: 'taken',
  when: [['count', '<', { attribute: 'most' }]],
  then: [
    { add: 'count', by: 1 },
    { set: 'owner', to: ':owner' },
    { keepOrSet: 'note', to: ':note?' },
    { setOrRemove: 'due', to: ':due?' },
    { remove: 'old' },
  ],
  ownedBy: [['owner', '=', ':owner']],
};
const params = { owner: 'a', writeId: 'w1' };
const row = { status: 'open', v: 1, version: 4, count: 1, most: 2, due: 7, old: true, note: 'kept' };

describe('decide', () => {
  it('leaves a row of another format alone', () => {
    const found = { ...row, v: 2 };
    expect(decide({ name: 'take', rule: take, params }, found)).toEqual({ kind: 'refused', found });
  });

  it('applies effects and numbers the write', () => {
    expect(decide({ name: 'take', rule: take, params }, row)).toEqual({
      kind: 'applied',
      row: {
        status: 'taken',
        v: 1,
        rule: 'take',
        writeId: 'w1',
        version: 5,
        count: 2,
        most: 2,
        owner: 'a',
        note: 'kept',
      },
    });
  });

  it('leaves the row it was given alone, and shows it in a refusal', () => {
    const before = { ...row };
    decide({ name: 'take', rule: take, params }, row);
    expect(row).toEqual(before);
    const full = { ...row, count: 2 };
    expect(decide({ name: 'take', rule: take, params }, full)).toEqual({ kind: 'refused', found: full });
    expect(decide({ name: 'take', rule: take, params }, undefined)).toEqual({ kind: 'refused', found: undefined });
  });

  it('recognises its own work by what only it could set', () => {
    expect(isOwnWork({ name: 'take', rule: take, params }, { ...row, owner: 'a' })).toBe(true);
    expect(isOwnWork({ name: 'take', rule: take, params }, { ...row, owner: 'b' })).toBe(false);
    expect(isOwnWork({ name: 'take', rule: { ...take, ownedBy: [] }, params }, row)).toBe(false);
  });

  it('does not go on without a parameter that it must set', () => {
    expect(() => decide({ name: 'take', rule: take, params: { writeId: 'w1' } }, row)).toThrow(/owner/);
  });
});

describe('a guard', () => {
  const cases: readonly (readonly [Guard, boolean])[] = [
    [['count', '=', 1], true],
    [['count', '<=', ':one'], true],
    [['count', '>', ':one'], false],
    [['count', '>=', ':left?'], false],
    [['missing', '<', 5], false],
    [['missing', '=', ':left?'], false],
    [['note', '<', 5], false],
    [['missing', 'absent'], true],
    [['count', 'exists'], true],
    [['status', 'in', ['open', 'shut']], true],
    [
      {
        anyOf: [
          [['count', '=', 9]],
          [
            ['count', '=', 1],
            ['due', '=', 7],
          ],
        ],
      },
      true,
    ],
    [{ unlessGiven: ':one?', guard: ['count', '=', 9] }, true],
    [{ unlessGiven: ':left?', guard: ['count', '=', 9] }, false],
  ];
  it.each(cases)('%j is %s', (guard, expected) => {
    expect(holds(guard, row, { one: 1 })).toBe(expected);
  });
});

describe('the drawings', () => {
  const rules = { make: { ...take, from: [], to: 'open' }, take };
  it('show every rule where it leads', () => {
    expect(stateDiagram(rules, ['taken'])).toBe(
      'stateDiagram-v2\n  [*] --> open: make\n  open --> taken: take\n  taken --> [*]',
    );
    expect(transitionMatrix(rules, ['open', 'taken'])).toContain('| open |  | `take` |');
  });

  it('say guards and effects in words', () => {
    expect(guardText({ anyOf: [[['a', '<=', ':b']], [['c', 'absent']]] })).toBe('(a ≤ :b or c absent)');
    expect(guardText({ unlessGiven: ':d?', guard: ['a', '=', { attribute: 'e' }] })).toBe('a = e unless :d is given');
    expect(ruleTable(rules)).toContain(
      'count + 1; owner = :owner; note = :note if given; due = :due, or removed; −old',
    );
  });
});
