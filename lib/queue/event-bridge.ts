// Announcements as events on the account's default bus, from the source `millrace`.
import {
  type EventBridgeClient,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { isOutage } from '../core/outage.ts';
import type { Announcement, Announcer } from '../job/announcer.ts';
import { StoreUnavailable } from '../job/ports.ts';

/** What EventBridge takes in one request. */
const AT_ONCE = 10;
const SOURCE = 'millrace';

/** Codes of an entry that another try may not meet. */
const passing: ReadonlySet<string> = new Set(['ThrottlingException', 'InternalFailure', 'InternalException']);

/** Throws an Error where EventBridge refuses some for good, and every other one was taken. */
export const createEventBridge = (client: Pick<EventBridgeClient, 'send'>): Announcer => ({
  announce: async (announcements) => {
    const answers: PutEventsResultEntry[] = [];
    for (let start = 0; start < announcements.length; start += AT_ONCE) {
      const Entries = announcements.slice(start, start + AT_ONCE).map(entryOf);
      answers.push(...((await calling(() => client.send(new PutEventsCommand({ Entries })))).Entries ?? []));
    }
    const failed = answers.flatMap(({ ErrorCode = '' }, index) => (passing.has(ErrorCode) ? [index] : []));
    const refusal = answers.find(({ ErrorCode }) => ErrorCode !== undefined);
    if (refusal === undefined || failed.length > 0) return failed;
    throw new Error(`EventBridge refuses an event: ${refusal.ErrorCode ?? ''} ${refusal.ErrorMessage ?? ''}`);
  },
});

const entryOf = ({ type, at, detail }: Announcement): PutEventsRequestEntry => ({
  Source: SOURCE,
  DetailType: type,
  Time: new Date(at),
  Detail: JSON.stringify(detail),
});

async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (isOutage(error)) throw new StoreUnavailable('EventBridge does not answer.', { cause: error });
    throw error;
  }
}
