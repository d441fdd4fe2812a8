// The numbers of the HTTP surface, in one place; the ones that callers see are repeated in OpenAPI.
import { type DurationMs, hours, millis, seconds } from '../core/time.ts';
import type { HttpLimits } from './deps.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

/** Lambda takes 6 MB of base64 an event, so about 4.4 MiB of bytes is where AWS's own 413 begins. */
export const httpLimits: HttpLimits = {
  directUpload: 4 * MIB,
  jsonBody: MIB,
  wait: seconds(20),
};

/** A multipart body's boundary and part headers, beside the file itself. */
export const MULTIPART_OVERHEAD = 64 * 1024;

export const uploadLimits = {
  /** Bytes of a whole presigned upload. */
  size: 50 * GIB,
  /** S3 takes parts of 5 MiB to 5 GiB; the last may be smaller. */
  minPart: 5 * MIB,
  maxPart: 5 * GIB,
  defaultPart: 16 * MIB,
  /** S3 takes 10,000, but a Lambda answers at most 6 MB, and a presigned URL with session credentials is about 2 kB. */
  parts: 1000,
  /** How long the URLs and the upload are good for. */
  expires: hours(6),
} as const;

/** Nested deeper than this, a JSON body is refused: what reads it may be recursive. */
export const JSON_DEPTH = 100;
export const LIST_LIMIT = { default: 50, max: 100 } as const;

/** The longest wait of a watcher, seconds: API Gateway gives up after 30. */
export const WAIT_SECONDS = 25;

/** The pauses between two looks at a job that is waited for: short at first, since many jobs are. */
export const waitPauses: { readonly first: DurationMs; readonly factor: number; readonly most: DurationMs } = {
  first: millis(50),
  factor: 1.5,
  most: seconds(1),
};
