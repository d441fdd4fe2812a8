// Jobs as a trace names them.
import type { JobRow } from '../../job/row.ts';
import { START } from './start.ts';

/** The end of a job's id, enough to tell a run's jobs apart. */
export const shortId = (id: string): string => id.slice(-3);

export const short = ({
  id,
  status,
  epoch,
  leaseOwner,
  attempts,
  crashes,
  dueAt,
  leaseUntil,
  parked,
}: JobRow): string =>
  [
    `${shortId(id)} → ${status}${parked === undefined ? '' : ` (${parked})`}`,
    `epoch ${epoch - START}`,
    ...(leaseOwner === undefined ? [] : [`owner …${String(leaseOwner).slice(-4)}`]),
    `attempts ${attempts} crashes ${crashes}`,
    ...(dueAt === undefined ? [] : [`due ${((dueAt - START) / 1000).toFixed(1)}`]),
    ...(leaseUntil === undefined ? [] : [`lease ${((leaseUntil - START) / 1000).toFixed(1)}`]),
  ].join(', ');
