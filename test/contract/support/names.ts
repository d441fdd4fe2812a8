import { newId } from '../../../lib/core/ids.ts';
import { systemChance } from '../../../lib/core/chance.ts';
import { systemClock } from '../../../lib/core/time.ts';

/** A name that no other run uses, fit for a table, a queue and a bucket. */
export const uniqueName = (what: string): string =>
  `millrace-${what}-${newId('req', systemClock.now(), systemChance).slice(4).toLowerCase()}`;
