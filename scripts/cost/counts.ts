// What each path of a job asks of AWS, counted at the clients on the local cloud: test/integration/cost.test.ts measures them again and
// fails where one differs. Calls by operation; units as DynamoDB reports them, those of indexes among them, a transaction's double.

export interface Count {
  readonly calls: Readonly<Record<string, number>>;
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** How many simple jobs the counted batch of the relay is of; each has three changes, and an end that is announced. */
export const JOBS_A_RELAY = 16;

export const counts = {
  simple: {
    calls: { PutItem: 1, SendMessage: 1, ReceiveMessage: 1, UpdateItem: 2, DeleteMessage: 1 },
    writeUnits: 6,
    readUnits: 0,
  },
  relay: {
    calls: { BatchExecuteStatement: 2, UpdateItem: 1, PutEvents: 2 },
    writeUnits: 49,
    readUnits: 0,
  },
  heartbeat: { calls: { UpdateItem: 1 }, writeUnits: 1, readUnits: 0 },
  retry: {
    calls: { PutItem: 1, SendMessage: 2, ReceiveMessage: 2, UpdateItem: 4, DeleteMessage: 2 },
    writeUnits: 10,
    readUnits: 0,
  },
  arm: { calls: { UpdateItem: 1, SendMessage: 1 }, writeUnits: 3, readUnits: 0 },
  slot: {
    calls: {
      PutItem: 1,
      SendMessage: 1,
      ReceiveMessage: 1,
      UpdateItem: 1,
      TransactWriteItems: 2,
      GetItem: 2,
      Query: 1,
      DeleteMessage: 1,
    },
    writeUnits: 15,
    readUnits: 2.5,
  },
  dedup: {
    calls: { TransactWriteItems: 1, GetItem: 1, SendMessage: 1, ReceiveMessage: 1, UpdateItem: 2, DeleteMessage: 1 },
    writeUnits: 9,
    readUnits: 1,
  },
  step: {
    calls: { PutItem: 2, SendMessage: 1, ReceiveMessage: 1, GetItem: 2, UpdateItem: 2, DeleteMessage: 1 },
    writeUnits: 7,
    readUnits: 2,
  },
  batch: {
    calls: { PutItem: 10, SendMessageBatch: 1, ReceiveMessage: 1, UpdateItem: 20, DeleteMessageBatch: 1 },
    writeUnits: 60,
    readUnits: 0,
  },
  pipeline: {
    calls: { PutItem: 6, SendMessage: 1, ReceiveMessage: 1, GetItem: 11, UpdateItem: 14, DeleteMessage: 1 },
    writeUnits: 23,
    readUnits: 11,
  },
  ingest: {
    calls: {
      PutItem: 11,
      SendMessage: 1,
      ReceiveMessage: 1,
      UpdateItem: 15,
      DeleteMessage: 1,
      GetItem: 14,
      GetObject: 2,
      PutObject: 2,
      TransactWriteItems: 2,
      Query: 8,
    },
    writeUnits: 45,
    readUnits: 22,
  },
  afterIngest: {
    calls: {
      PutItem: 2,
      SendMessage: 1,
      ReceiveMessage: 1,
      UpdateItem: 2,
      GetItem: 3,
      Query: 4,
      GetObject: 1,
      PutObject: 1,
      DeleteMessage: 1,
    },
    writeUnits: 7,
    readUnits: 7,
  },
  sweep: { calls: { Query: 16 }, writeUnits: 0, readUnits: 8 },
} satisfies Record<string, Count>;
