// What the rows beside the jobs promise, held against their rules, over the same cases each time.
import { expect, it } from 'vitest';
import { type SideRuleName, sideRules } from '../../lib/job/side/side-rules.ts';
import { brokenSideLaw } from './support/laws/side-laws.ts';

it.each(Object.keys(sideRules) as SideRuleName[])('the side rule %s keeps its promise', (name) => {
  expect(brokenSideLaw(name)).toBeUndefined();
});
