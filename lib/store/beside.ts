// What stands beside a job's row, in its partition: payloads too large for the row, and the numbered events of its timeline.
import * as z from 'zod';
import type { JobEvent, JobStore } from '../job/ports.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { Items } from './items.ts';
import { eventSchema, payloadSchema } from './records.ts';
import { eventKey, eventRange, payloadKey } from './table.ts';

export const createBeside = (
  items: Items,
): Pick<JobStore, 'putPayload' | 'getPayload' | 'dropPayload' | 'putEvents' | 'events'> => ({
  putPayload: async (ref, name, json, expiresAt) => {
    await items.putNew({ key: payloadKey(ref, name), attributes: { json, expiresAt } });
  },
  getPayload: async (ref, name) => {
    const found = await items.get(payloadKey(ref, name));
    return found === undefined ? undefined : payloadSchema.parse(found).json;
  },
  dropPayload: (ref, name) => items.remove(payloadKey(ref, name)),
  putEvents: async (events) => {
    const puts = await items.putEachNew(events.map((event) => ({ key: keyOfEvent(event), attributes: { ...event } })));
    return puts.map((put) => (put === 'created' ? 'written' : put));
  },
  events: async (job, { limit, cursor, afterVersion }) => {
    const version = cursor === undefined ? afterVersion : readCursor(z.number(), cursor);
    const after = version === undefined ? undefined : eventKey(job, job.createdAt, version).sk;
    const found = await items.page(eventRange(job, job.createdAt), { limit, after, order: 'ascending' });
    const events = found.entries.map((entry) => eventSchema.parse(entry.attributes));
    const last = events.at(-1);
    return { items: events, ...(found.more && last !== undefined && { cursor: writeCursor(last.version) }) };
  },
});

const keyOfEvent = (event: JobEvent) => eventKey({ ...event, id: event.jobId }, event.createdAt, event.version);
