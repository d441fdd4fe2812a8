// Tells a service that does not answer now from a caller that is wrong. It reads names and codes only, so that it needs no SDK.

const throttles: ReadonlySet<string> = new Set([
  'InternalServerError',
  'OperationAborted',
  'OverLimit',
  'PriorRequestNotComplete',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'RequestThrottled',
  'RequestThrottledException',
  'RequestTimeout',
  'RequestTimeoutException',
  'ServiceUnavailable',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TimeoutError',
  'TooManyRequestsException',
  'TransactionConflictException',
  'TransactionInProgressException',
]);

const networkCodes: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  // A connection that HTTP/2 shares was refused, reset or closed: what the system said is no longer in the code.
  'ERR_HTTP2_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_STREAM_CANCEL',
  'ERR_HTTP2_STREAM_ERROR',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);

interface ServiceError {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $fault?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number | undefined };
}

/** Whether what was thrown is a throttle, a time-out, a fault of the service or of the network: the same call may work later. */
export function isOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const error: ServiceError = thrown;
  const status = error.$metadata?.httpStatusCode ?? 0;
  return (
    throttles.has(String(error.name)) ||
    networkCodes.has(String(error.code)) ||
    error.$fault === 'server' ||
    status >= 500 ||
    status === 429
  );
}
