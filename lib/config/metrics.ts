// The metrics that functions publish and alarms watch, under one name for both.
export const metricNamespace = 'Millrace';

export const metricNames = {
  /** Doorbells that no worker could hear, count. */
  deadLetters: 'DeadLetters',
  /** How long the oldest row of the due index is past its time, seconds. */
  oldestDueAge: 'OldestDueAge',
  /** Lanes and flows that are told of as behind, count. */
  backlogs: 'Backlogs',
} as const;
export type MetricName = keyof typeof metricNames;
