// Agreement: for any rule, row and parameters, a store answers what `decide` does. Numbers are small, so that equality and boundaries
// are hit, and every parameter that a rule lets one leave out is left out at times.
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { must } from '../../../lib/core/check.ts';
import type { JobRef } from '../../../lib/core/ids.ts';
import type { JobStore, Written } from '../../../lib/job/ports.ts';
import { type JobRow, parseJobRow, refOf } from '../../../lib/job/row.ts';
import { type JobRuleName, jobRules } from '../../../lib/job/rules.ts';
import { jobStatuses } from '../../../lib/job/status.ts';
import { type Decision, decide } from '../../../lib/rule/decide.ts';
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
  reapedAt: maybe(small),
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
  gated: maybe(fc.constant(true)),
  admitted: maybe(fc.constant(true)),
  discarded: maybe(fc.constant(true)),
  hold: maybe(word),
  parkedUntil: maybe(small),
  awaits: maybe(small),
  deadline: maybe(small),
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
  gates: fc.constant(true),
  hold: word,
  parkedUntil: small,
  awaits: small,
  deadline: small,
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

interface Case {
  /** Undefined: no row is there. */
  readonly found: JobRow | undefined;
  /** What a creating rule starts from. */
  readonly created: JobRow;
  readonly params: Record<string, unknown>;
}

/** Any case of a rule, and as often one to which it applies, and one to which it does not: most rules fit a random row once in some hundred. */
function casesOf(name: JobRuleName): fc.Arbitrary<Case> {
  const rule: Rule = jobRules[name];
  const drawn = fc.record({ fields: row, all: params, without: leftOut, isThere: fc.boolean() });
  const toCase = ({ fields, all, without, isThere }: typeof drawn extends fc.Arbitrary<infer D> ? D : never): Case => {
    const created = aJobRow({ ...fields, rule: 'submit' } as Partial<JobRow>);
    const found = isThere || rule.from.length > 0 ? created : undefined;
    return { found, created, params: paramsFor(name, all, without) };
  };
  const fitting = drawn.map((each) => ({ ...each, fields: { ...each.fields, ...stateReadBy(each.all, rule) } }));
  return fc.oneof(
    drawn.map(toCase),
    fitting.map(toCase).filter((each) => decided(name, each).kind === 'applied'),
    // A rule that asks for nothing else is never refused where the row fits.
    fc
      .oneof(drawn, fitting)
      .map(toCase)
      .filter((each) => decided(name, each).kind === 'refused'),
  );
}

/** The state that a writer with these parameters decided on; what else a rule asks is left to chance. */
const stateReadBy = (all: Params, rule: Rule): object => ({
  status: rule.from[0] ?? 'failed',
  epoch: rule.from.length === 0 ? 0 : all.epoch,
  leaseOwner: all.owner,
  version: all.version,
  cursorNo: all.previousNo,
  dueAt: all.dueAtRead,
});

const decided = (name: JobRuleName, { found, created, params: given }: Case): Decision =>
  decide({ name, rule: jobRules[name], params: given }, found, created);

const withRef = ({ found, created, params: given }: Case, ref: JobRef): Case => ({
  found: found && { ...found, ...ref },
  created: { ...created, ...ref },
  params: given,
});

const send = (store: JobStore, name: JobRuleName, { created, params: given }: Case): Promise<Written> =>
  name === 'submit'
    ? store.submit(created, given as Parameters<JobStore['submit']>[1])
    : store.write(refOf(created), name, given as never);

const asStored = (row: Row): JobRow => parseJobRow(JSON.parse(JSON.stringify(row)));

export function agreementSuite(name: string, numRuns: number, open: () => Promise<StoreHarness>): void {
  describe(`${name} and decide agree`, () => {
    let harness: StoreHarness;
    beforeAll(async () => {
      harness = await open();
    });
    afterAll(() => harness.close());

    it.each(Object.keys(jobRules) as JobRuleName[])('on %s', async (ruleName) => {
      const kinds = new Set<string>();
      const agrees = async (drawn: Case) => {
        const each = withRef(drawn, aRef());
        if (each.found !== undefined) await harness.putRow(each.found);
        const wanted = decided(ruleName, each);
        kinds.add(wanted.kind);
        const answer = await send(harness.store, ruleName, each);
        expect(answer).toEqual(
          wanted.kind === 'applied' ? { kind: 'applied', row: asStored(wanted.row) } : { ...wanted },
        );
        const after = answer.kind === 'applied' ? answer.row : answer.found;
        expect(await harness.store.get(refOf(each.created))).toEqual(after);
      };
      await fc.assert(fc.asyncProperty(casesOf(ruleName), agrees), { numRuns });
      expect(kinds).toEqual(new Set(['applied', 'refused']));
    });
  });
}
