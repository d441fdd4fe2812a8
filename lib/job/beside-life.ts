// How long what stands beside a job (its steps, signals and children) is kept: longer than any job takes, since a run may read it again.
import { days, type EpochMs, type EpochSeconds, later, toEpochSeconds } from '../core/time.ts';

const KEPT = days(400);

export const besideExpiry = (now: EpochMs): EpochSeconds => toEpochSeconds(later(now, KEPT));
