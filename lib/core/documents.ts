// The port of documents: small rows that people and passes change, each with a version that its next write has to name. What a family's
// documents hold is known to the room that owns the family.
import type * as z from 'zod';
import { Fault } from './fault.ts';
import type { Scope } from './ids.ts';
import type { EpochMs } from './time.ts';

/** A document is found by its family, a group within it (e.g. a dataset) and its name there. */
export interface DocumentGroup extends Scope {
  readonly family: string;
  readonly group: string;
}
export interface DocumentRef extends DocumentGroup {
  readonly name: string;
}

export interface StoredDocument<Body = unknown> {
  readonly name: string;
  /** From 1; each write adds 1. */
  readonly version: number;
  readonly body: Body;
}

export interface DocumentPage {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Of the names. */
  readonly prefix?: string | undefined;
}

export interface Documents {
  /** Strongly consistent. */
  getDocument(ref: DocumentRef): Promise<StoredDocument | undefined>;
  /**
   * Writes version `after` + 1 if the document still has version `after`; 0: if it is not there. `body` is JSON; `expiresAt` lets the store
   * remove it some time later. Throws the Fault LIMIT_EXCEEDED above 400 KB, and StoreUnavailable.
   */
  putDocument(ref: DocumentRef, body: unknown, after: number, expiresAt?: EpochMs): Promise<'written' | 'moved'>;
  /** `moved` where it has another version than `after`, or is gone. */
  removeDocument(ref: DocumentRef, after: number): Promise<'removed' | 'moved'>;
  /** By name; strongly consistent. */
  listDocuments(
    group: DocumentGroup,
    page: DocumentPage,
  ): Promise<{ readonly items: readonly StoredDocument[]; readonly cursor?: string }>;
}

/** The documents of one family, as their room knows them. */
export interface Family<Body> {
  get(place: Place): Promise<StoredDocument<Body> | undefined>;
  /** As `putDocument`. */
  put(place: Place, body: Body, after: number, expiresAt?: EpochMs): Promise<'written' | 'moved'>;
  /**
   * Reads, and writes what `update` makes of it: undefined leaves it as it is. Once more where somebody else wrote in between; throws the
   * Fault CONFLICT where that does not end.
   */
  change(place: Place, update: (body: Body | undefined) => Body | undefined): Promise<Body | undefined>;
  remove(place: Place, after: number): Promise<'removed' | 'moved'>;
  list(
    group: Omit<Place, 'name'>,
    page: DocumentPage,
  ): Promise<{ readonly items: readonly StoredDocument<Body>[]; readonly cursor?: string }>;
  /** All of a group, page by page. */
  all(group: Omit<Place, 'name'>, prefix?: string): Promise<readonly StoredDocument<Body>[]>;
}
export interface Place extends Scope {
  readonly group: string;
  readonly name: string;
}

const TRIES = 10;
const PAGE = 100;

/** `schema` reads what is stored, by this release or an earlier one. */
export function documentFamily<Body>(
  documents: Documents,
  { family, schema }: { readonly family: string; readonly schema: z.ZodType<Body> },
): Family<Body> {
  const refOf = ({ tenant, workspace, group, name }: Place): DocumentRef => ({
    tenant,
    workspace,
    family,
    group,
    name,
  });
  const read = (stored: StoredDocument): StoredDocument<Body> => ({ ...stored, body: schema.parse(stored.body) });
  const own: Family<Body> = {
    get: async (place) => {
      const found = await documents.getDocument(refOf(place));
      return found && read(found);
    },
    put: (place, body, after, expiresAt) => documents.putDocument(refOf(place), body, after, expiresAt),
    change: async (place, update) => {
      for (let tries = 0; tries < TRIES; tries++) {
        const found = await own.get(place);
        const next = update(found?.body);
        if (next === undefined) return found?.body;
        if ((await own.put(place, next, found?.version ?? 0)) === 'written') return next;
      }
      throw new Fault('CONFLICT', `${place.name} is changed by others all the time.`);
    },
    remove: (place, after) => documents.removeDocument(refOf(place), after),
    list: async ({ tenant, workspace, group }, page) => {
      const { items, ...more } = await documents.listDocuments({ tenant, workspace, family, group }, page);
      return { items: items.map(read), ...more };
    },
    all: async (group, prefix) => {
      const found: StoredDocument<Body>[] = [];
      let cursor: string | undefined;
      do {
        const page = await own.list(group, { limit: PAGE, cursor, prefix });
        found.push(...page.items);
        cursor = page.cursor;
      } while (cursor !== undefined);
      return found;
    },
  };
  return own;
}
