// What it takes to receive a file that may be large, and what comes of it.
import type { DatasetId, TableId } from '../../core/ids.ts';
import type { Objects } from '../../core/objects.ts';
import type { HandlerAnswer } from '../../job/run/outcome.ts';
import type { FileRecord } from '../catalog.ts';
import type { ReadOptions } from '../options.ts';
import type { ListedTable, ReadLimits } from '../reading/types.ts';
import type { Received, ReceivedTable } from '../stages/outputs.ts';
import type { SurveyThreads } from './survey-threads.ts';

export type Found = Pick<Received, 'source' | 'tables' | 'warnings' | 'plans' | 'list'>;

export type Looked =
  | { readonly kind: 'found'; readonly of: Found }
  | { readonly kind: 'continue'; readonly answer: HandlerAnswer };

export interface Receiving {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly threads?: SurveyThreads | undefined;
  readonly dataset: DatasetId;
  readonly file: FileRecord;
  /** As it was uploaded. */
  readonly name: string;
  /** What the caller calls its table. */
  readonly as?: string | undefined;
  readonly options: ReadOptions;
  /** Draws the sequence of a table. */
  readonly take: (table: ListedTable) => Promise<ReceivedTable>;
  /** Has objects be kept with a table of this name before it is known whether there is one: what nobody needs of them is swept then. */
  readonly hold: (name: string) => Promise<TableId>;
  /** Reads the file from the disk of this invocation. */
  readonly whole: () => Promise<Found>;
}
