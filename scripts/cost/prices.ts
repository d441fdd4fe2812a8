// List prices that docs/cost.md is worked out from: US dollars, us-east-1, no free tier. Change one here, then `npm run docs`.

export const pricesAsOf = '2026-09';

export const prices = {
  /** A write unit of an on-demand table; a transaction's count double, and come so counted. */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  /** Each 64 KB of a send, a receive or a delete. */
  sqsRequest: 0.4 / 1e6,
  /** On top of a send that names a message group (fair queues). */
  sqsFairMessage: 0.1 / 1e6,
  httpApiCall: 1 / 1e6,
  lambdaRequest: 0.2 / 1e6,
  /** arm64. */
  lambdaGbSecond: 0.0000133334,
  stateTransition: 25 / 1e6,
  s3Put: 5 / 1e6,
  s3Get: 0.4 / 1e6,
  event: 1 / 1e6,
  alarmMonth: 0.1,
  metricMonth: 0.3,
} as const;
