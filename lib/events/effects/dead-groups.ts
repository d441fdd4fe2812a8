// A job that ends as failed or dead is let into the group of its fingerprint, and out when it is listed no more.
import { type DeadRow, joinGroup, leaveGroup, listedDead } from '../../job/dead/dead-groups.ts';
import type { EffectEngine, JobChange, RelayEffect } from '../effect.ts';

interface Moves {
  readonly leaves?: DeadRow | undefined;
  readonly joins?: DeadRow | undefined;
}

function movesOf({ before, after }: JobChange): Moves {
  const [was, is] = [listedDead(before), listedDead(after)];
  return was?.finishedAt === is?.finishedAt ? {} : { leaves: was, joins: is };
}

export const deadGroupsEffect = (engine: EffectEngine): RelayEffect => ({
  name: 'dead-groups',
  keyOf: (change) => {
    const { leaves, joins } = movesOf(change);
    const row = joins ?? leaves;
    return row && JSON.stringify([row.tenant, row.workspace, row.error.fingerprint]);
  },
  apply: async (change) => {
    const { leaves, joins } = movesOf(change);
    if (leaves !== undefined) await leaveGroup(engine, leaves);
    if (joins !== undefined) await joinGroup(engine, joins);
  },
});
