// The table's change stream as Lambda delivers it, read into the same changes that the embedded store's outbox holds.
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type EpochMs, epochMs } from '../core/time.ts';
import { withoutKeys } from './job-item.ts';
import { JOB_SORT_KEY } from './table.ts';

/** The part of Lambda's event that is read. */
export interface StreamEvent {
  readonly Records: readonly {
    readonly dynamodb?: {
      readonly SequenceNumber?: string;
      /** Epoch seconds. */
      readonly ApproximateCreationDateTime?: number;
      readonly Keys?: Readonly<Record<string, unknown>>;
      readonly OldImage?: Readonly<Record<string, unknown>>;
      readonly NewImage?: Readonly<Record<string, unknown>>;
    };
  }[];
}

export interface StreamChange {
  /** What a partial batch failure names. */
  readonly sequenceNumber: string;
  /** When it was written, to the second. */
  readonly at?: EpochMs;
  /** The job row as stored, unparsed: a change that cannot be read must still become an event. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The changes of job rows, in the stream's order; other rows are left out. */
export const changesOf = (event: StreamEvent): StreamChange[] =>
  event.Records.flatMap(({ dynamodb: change }) => {
    if (change?.Keys === undefined || plain(change.Keys)['sk'] !== JOB_SORT_KEY) return [];
    const { SequenceNumber = '', ApproximateCreationDateTime: seconds, OldImage, NewImage } = change;
    return [
      {
        sequenceNumber: SequenceNumber,
        ...(seconds !== undefined && { at: epochMs(seconds * 1000) }),
        ...(OldImage !== undefined && { before: withoutKeys(plain(OldImage)) }),
        ...(NewImage !== undefined && { after: withoutKeys(plain(NewImage)) }),
      },
    ];
  });

/** Lambda's own type of an attribute value is loose; the values are DynamoDB's. */
const plain = (image: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  unmarshall(image as Record<string, AttributeValue>);
