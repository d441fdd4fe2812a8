// How long a client of the SDK waits: a call that is not answered in this time is sent again while the lease still lasts; the default is never.
const maxAttempts = 4;
const connectionTimeout = 2000;

export const patience = { maxAttempts, requestHandler: { connectionTimeout, requestTimeout: 5000 } } as const;
/** Parts of files are long calls. */
export const patienceForObjects = {
  maxAttempts,
  requestHandler: { connectionTimeout, requestTimeout: 60_000 },
} as const;
