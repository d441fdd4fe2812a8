// A transaction's writes in the terms that both stores share: a key, and a rule to apply to the row under it.
import type { TransactWrite } from '../job/ports.ts';
import { MAX_TRANSACTION } from '../job/ports.ts';
import { jobRules } from '../job/rules.ts';
import { sideRules } from '../job/side/side-rules.ts';
import type { Row, Rule, RuleWrite } from '../rule/rule.ts';
import { withDueShard, withIndexKeys } from './index-keys.ts';
import { jobKey, type Key, sideKey } from './table.ts';

export interface Keyed {
  readonly key: Key;
  /** `check`: nothing is written. `create`: the row is made from `created`. */
  readonly does: 'create' | 'update' | 'delete' | 'check';
  readonly write: RuleWrite;
  readonly created?: Row;
}

/** Throws a TypeError where two writes are of one row, or there are too many. */
export function keyedWrites(writes: readonly TransactWrite[]): readonly Keyed[] {
  const keyed = writes.map(keyedWrite);
  const keys = new Set(keyed.map(({ key }) => JSON.stringify([key.pk, key.sk])));
  if (keys.size < writes.length) throw new TypeError('two writes of a transaction are of one row');
  if (writes.length > MAX_TRANSACTION) throw new TypeError(`a transaction holds ${MAX_TRANSACTION} writes at most`);
  return keyed;
}

type Params = RuleWrite['params'];

function keyedWrite(write: TransactWrite): Keyed {
  if ('submit' in write) {
    const rule = { name: 'submit', rule: jobRules.submit, params: write.params };
    return { key: jobKey(write.submit), does: 'create', write: rule, created: write.submit };
  }
  if ('check' in write) {
    const rule: Rule = { about: 'tests', from: [], when: write.guards, then: [], quiet: true, ownedBy: [] };
    return { key: jobKey(write.check), does: 'check', write: { name: 'check', rule, params: write.params } };
  }
  if ('job' in write) {
    const rule = { name: write.rule, rule: jobRules[write.rule], params: write.params as Params };
    return { key: jobKey(write.job), does: 'update', write: withIndexKeys(write.job, rule) };
  }
  const rule = sideWrite(write);
  const does = rule.rule.deletes === true ? 'delete' : rule.rule.then.length === 0 ? 'check' : 'update';
  return { key: sideKey(write.side), does, write: rule };
}

/** A side rule as a write of its row. */
export function sideWrite({ side, rule, params }: Extract<TransactWrite, { side: unknown }>): RuleWrite {
  return withDueShard(side, { name: rule, rule: sideRules[rule], params: params as Params });
}
