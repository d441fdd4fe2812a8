export const jobStatuses = ['queued', 'parked', 'running', 'succeeded', 'failed', 'cancelled', 'dead'] as const;
export type JobStatus = (typeof jobStatuses)[number];

export const terminalStatuses = ['succeeded', 'failed', 'cancelled', 'dead'] as const satisfies readonly JobStatus[];
export type TerminalStatus = (typeof terminalStatuses)[number];

/** Terminal rows leave their status by a redrive only. */
export const isTerminal = (status: JobStatus): status is TerminalStatus =>
  (terminalStatuses as readonly JobStatus[]).includes(status);
