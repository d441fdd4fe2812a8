// Why vectors do not stand in a ranking, or not all.

/** `model`: it did not answer in time, or wrongly; `budget`: the month's is used up; `incomplete`: some entries wait to be embedded. */
export const degradations = ['model', 'budget', 'incomplete'] as const;
export type Degraded = (typeof degradations)[number];
