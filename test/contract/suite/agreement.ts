// Agreement: for any rule, row and parameters, a store answers what `decide` does. Numbers are small, so that equality and boundaries
// are hit, and every parameter that a rule lets one leave out is left out at times.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../lib/core/check.ts';
import type { JobStore, Written } from '../../../lib/job/ports.ts';
import { type JobRow, parseJobRow, refOf } from '../../../lib/job/row.ts';
import { type JobRuleName, jobRules } from '../../../lib/job/rules.ts';
import { jobStatuses } from '../../../lib/job/status.ts';
import { decide } from '../../../lib/rule/decide.ts';
import { type Rule, type Row, effectsOf, guardsOf } from '../../../lib/rule/rule.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';
import { aRef } from '../support/jobs.ts';
import type { StoreHarness } from '../support/store-harness.ts';

const small = fc.integer({ min: 0, max: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const owner = fc.constantFrom('own_a', 'own_b');
const writeId = fc.constantFrom('w_a', 'w_b');
const heldBy = fc.constantFrom('worker', 'execution');
const error = fc.constantFrom({ code: 'CRASHED', detail: 'gone', retriable: true });
const payload = fc.constantFrom({ inline: '1' }, { item: 'input', sha256: 'f' });
const progress = fc.constantFrom({ done: 1, total: 2, note: '' });
const word = fc.constantFrom('a', 'b');

const row = fc.record({
  status: fc.constantFrom(...jobStatuses),
  version: small,
  writeId,
  submitId: writeId,
  epoch: small,
  attempts: small,
  crashes: small,
  maxRetries: small,
  maxRevivals: small,
  cursorNo: small,
  redrives: maybe(small),
  rearms: maybe(small),
  dueAt: maybe(small),
  notBefore: maybe(small),
  startBy: maybe(small),
  heldBy: maybe(heldBy),
  leaseUntil: maybe(small),
  leaseOwner: maybe(owner),
  cancelRequested: maybe(word),
  parked: maybe(word),
  stage: maybe(word),
  cursor: maybe(word),
  progress: maybe(progress),
  result: maybe(payload),
  error: maybe(error),
  owes: maybe(word),
  tombstone: maybe(fc.constant(true)),
  expiresAt: maybe(small),
  finishedAt: maybe(small),
});

const params = fc.record({
  writeId,
  submitId: writeId,
  epoch: small,
  owner,
  goneEpoch: small,
  goneOwner: owner,
  now: small,
  nowSeconds: small,
  lapsedBy: small,
  leaseUntil: small,
  heldBy,
  dueAt: small,
  dueAtRead: small,
  notBefore: small,
  expiresAt: small,
  version: small,
  previousNo: small,
  cursorNo: small,
  cursor: word,
  stage: word,
  stageOutput: word,
  progress,
  result: payload,
  input: payload,
  warnings: small,
  error,
  owes: word,
  parked: word,
  cancelReason: word,
});
type Params = typeof params extends fc.Arbitrary<infer P> ? P : never;
const leftOut = fc.uniqueArray(fc.constantFrom(...(Object.keys(aParams()) as (keyof Params)[])), { maxLength: 20 });

function aParams(): Params {
  return must(fc.sample(params, { numRuns: 1, seed: 1 })[0], 'a sample');
}

/** The parameters that a rule names, with those left out that it lets one leave out. */
function paramsFor(name: JobRuleName, all: Params, without: readonly string[]): Record<string, unknown> {
  const rule: Rule = jobRules[name];
  const text = JSON.stringify([guardsOf(rule), effectsOf(name, rule), rule.ownedBy]);
  const named = [...text.matchAll(/":(\w+)(\??)"/g)];
  const required = new Set(named.filter(([, , optional]) => optional === '').map(([, each]) => each));
  const wanted = named.map(([, each]) => each ?? '').filter((each) => required.has(each) || !without.includes(each));
  return Object.fromEntries(wanted.map((each) => [each, all[each as keyof Params]]));
}

const send = (store: JobStore, name: JobRuleName, found: JobRow, given: object): Promise<Written> =>
  name === 'submit'
    ? store.submit(found, given as Parameters<JobStore['submit']>[1])
    : store.write(refOf(found), name, given as never);

const asStored = (decided: Row): JobRow => parseJobRow(JSON.parse(JSON.stringify(decided)));

export function agreementSuite(name: string, numRuns: number, open: () => Promise<StoreHarness>): void {
  describe(`${name} and decide agree`, () => {
    let harness: StoreHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    it.each(Object.keys(jobRules) as JobRuleName[])('on %s', async (ruleName) => {
      const rule: Rule = jobRules[ruleName];
      const agrees = async (fields: object, all: Params, without: readonly string[], isThere: boolean) => {
        const found = aJobRow({ ...aRef(), ...fields, rule: 'submit' });
        const there = isThere || rule.from.length > 0;
        if (there) await harness.putRow(found);
        const given = paramsFor(ruleName, all, without);
        const decided = decide({ name: ruleName, rule, params: given }, there ? found : undefined, found);
        const answer = await send(harness.store, ruleName, found, given);
        expect(answer).toEqual(
          decided.kind === 'applied' ? { kind: 'applied', row: asStored(decided.row) } : { ...decided },
        );
        const after = answer.kind === 'applied' ? answer.row : answer.found;
        expect(await harness.store.get(refOf(found))).toEqual(after);
      };
      const likely = row.map((each) => (rule.from.length === 0 ? each : { ...each, status: rule.from[0] }));
      await fc.assert(fc.asyncProperty(fc.oneof(likely, row), params, leftOut, fc.boolean(), agrees), { numRuns });
    });
  });
}
