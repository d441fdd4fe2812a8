// How S3's answers reach the rest of the store: a taken key, a missing object and an outage are told apart by name and status.
import { isOutage } from '../core/outage.ts';
import { StoreUnavailable } from '../job/ports.ts';

/** Writes that meet each other at one key are sent again: one of them wins, and then the others see it. */
const TRIES = 4;

/** The HTTP status of what was thrown, and the service's name for it. */
export function failureOf(thrown: unknown): { readonly name: string; readonly status: number | undefined } {
  if (!(thrown instanceof Error)) return { name: '', status: undefined };
  const metadata: unknown = '$metadata' in thrown ? thrown.$metadata : undefined;
  const status: unknown =
    typeof metadata === 'object' && metadata !== null && 'httpStatusCode' in metadata
      ? metadata.httpStatusCode
      : undefined;
  return { name: thrown.name, status: typeof status === 'number' ? status : undefined };
}

/** Throws StoreUnavailable when S3 does not answer or throttles. */
export const callingS3 = <T>(call: () => Promise<T>): Promise<T> =>
  call().catch((error: unknown) => {
    throw translated(error);
  });

const translated = (error: unknown): unknown =>
  isOutage(error) ? new StoreUnavailable('S3 does not answer.', { cause: error }) : error;

/** Undefined where there is no such object, or nothing of it at the bytes that were asked for. */
export async function unlessMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await callingS3(call);
  } catch (error) {
    const { name, status } = failureOf(error);
    if (name === 'NoSuchKey' || name === 'InvalidRange' || (name === 'NotFound' && status === 404)) return undefined;
    throw error;
  }
}

/** A write with If-None-Match. Throws StoreUnavailable when it met other writes at every try. */
export async function writeOnce(send: () => Promise<unknown>): Promise<'written' | 'exists'> {
  for (let tries = 0; tries < TRIES; tries++) {
    const answer = await attempt(send);
    if (answer !== 'conflict') return answer;
  }
  throw new StoreUnavailable('S3 met another write at every try.');
}

/** 412 is a key that is taken, 409 one that another write is taking now. */
async function attempt(send: () => Promise<unknown>): Promise<'written' | 'exists' | 'conflict'> {
  try {
    await send();
    return 'written';
  } catch (error) {
    const { status } = failureOf(error);
    if (status === 412) return 'exists';
    if (status === 409) return 'conflict';
    throw translated(error);
  }
}
