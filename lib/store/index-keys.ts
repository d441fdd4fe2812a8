// What a rule means for the sparse indexes: the park and dead keys follow from the effects on `parked`, the status and `discarded`, and
// are written with them. The rule table does not know keys.
import type { JobRef } from '../core/ids.ts';
import { type Effect, effectsOf, paramOf, type RuleWrite } from '../rule/rule.ts';
import { dueFamilies, type SideRef } from '../job/side/side.ts';
import { deadKeyOf, dueShardOf, parkKeyOf } from './table.ts';

/** The write of a job's rule with the effects on the index keys that go with it. */
export function withIndexKeys(ref: JobRef, write: RuleWrite): RuleWrite {
  const effects = effectsOf(write.name, write.rule);
  const extra = [...parkEffects(ref, effects, write.params), ...deadEffects(ref, effects, write.rule.from)];
  return extra.length === 0 ? write : { ...write, rule: { ...write.rule, then: [...write.rule.then, ...extra] } };
}

/** A row that may be due has its shard. */
export const withDueShard = (side: SideRef, write: RuleWrite): RuleWrite =>
  dueFamilies.has(side.family) && write.rule.then.length > 0
    ? { ...write, rule: { ...write.rule, then: [...write.rule.then, { set: 'dueShard', to: dueShardOf(side.name) }] } }
    : write;

function parkEffects(ref: JobRef, effects: readonly Effect[], params: RuleWrite['params']): readonly Effect[] {
  return effects.flatMap((effect): readonly Effect[] => {
    if ('remove' in effect && effect.remove === 'parked') return [{ remove: 'parkKey' }];
    if (!('set' in effect) || effect.set !== 'parked') return [];
    const name = typeof effect.to === 'object' ? undefined : paramOf(effect.to);
    return [{ set: 'parkKey', to: parkKeyOf(ref, String(name === undefined ? effect.to : params[name])) }];
  });
}

const listed: ReadonlySet<unknown> = new Set(['failed', 'dead']);

function deadEffects(ref: JobRef, effects: readonly Effect[], from: readonly string[]): readonly Effect[] {
  const sets = (attribute: string) =>
    effects.flatMap((effect) => ('set' in effect && effect.set === attribute ? [effect.to] : []));
  if (sets('discarded').length > 0) return [{ remove: 'deadKey' }];
  const [to] = sets('status');
  if (to === undefined) return [];
  if (listed.has(to)) return [{ set: 'deadKey', to: deadKeyOf(ref) }];
  return from.some((status) => listed.has(status)) ? [{ remove: 'deadKey' }] : [];
}
