// Settings under which a hung process loses its lease within seconds, where a user's takes minutes.
import { seconds } from '../../lib/core/time.ts';

export const shortLeases = { lease: seconds(6), beat: seconds(1), leaseMargin: seconds(1), stallAfter: seconds(3) };
