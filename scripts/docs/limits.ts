// The limits of the code, as the page of the configuration tells them: each number is the one that is enforced.
import type { FaultCode } from '../../lib/core/fault.ts';
import { httpLimits, uploadLimits } from '../../lib/http/limits.ts';
import { NAME_BYTES } from '../../lib/ingest/formats/cells.ts';
import { FOOTER_BYTES } from '../../lib/ingest/parquet/groups/stored-footer.ts';
import { WORKSPACE_BYTES } from '../../lib/ingest/quota.ts';
import { MOST_NAME_BYTES, MOST_TYPE_BYTES } from '../../lib/ingest/reading/long-name.ts';
import { defaultReadLimits } from '../../lib/ingest/reading/types.ts';
import { SLICE_COLUMNS } from '../../lib/ingest/typing/relation.ts';
import { MOST_LISTED_BYTES } from '../../lib/ingest/union/file-list.ts';
import { MAX_PUBLICATIONS } from '../../lib/job/ports.ts';
import { MAX_ITEM_BYTES } from '../../lib/store/limits.ts';

export interface CodeLimit {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly code: FaultCode;
  readonly set: string;
}

const read = defaultReadLimits;
const inCode = '`limits` of the ingest’s parts, in code';

export const codeLimits: readonly CodeLimit[] = [
  {
    what: 'What a workspace stores, at an upload, at its completion and at a publish',
    value: WORKSPACE_BYTES,
    unit: 'bytes',
    code: 'STORAGE_QUOTA_EXCEEDED',
    set: 'the flag `workspaceBytes`; embedded `workspaceBytes`, where it is none by default',
  },
  {
    what: 'A file that is sent directly',
    value: httpLimits.directUpload,
    unit: 'bytes',
    code: 'BODY_TOO_LARGE',
    set: 'nothing: Lambda takes no more',
  },
  { what: 'A JSON body', value: httpLimits.jsonBody, unit: 'bytes', code: 'BODY_TOO_LARGE', set: 'nothing' },
  {
    what: 'A file that is sent in parts, by the size that is said; the parts joined have to have that size',
    value: uploadLimits.size,
    unit: 'bytes',
    code: 'VALIDATION_FAILED',
    set: 'nothing',
  },
  {
    what: 'A file that is not read in chunks: of several tables, or neither text nor Parquet; a row group of larger Parquet',
    value: read.maxWholeBytes,
    unit: 'bytes',
    code: 'FILE_TOO_LARGE',
    set: inCode,
  },
  {
    what: 'The footer of Parquet that is read by its row groups',
    value: FOOTER_BYTES,
    unit: 'bytes',
    code: 'FILE_TOO_LARGE',
    set: 'nothing',
  },
  {
    what: 'Files that are one table, together, as stored and as text',
    value: MOST_LISTED_BYTES,
    unit: 'bytes',
    code: 'FILE_TOO_LARGE',
    set: 'nothing',
  },
  {
    what: 'What a compressed file expands to',
    value: read.maxDecompressedBytes,
    unit: 'bytes',
    code: 'DECOMPRESSION_LIMIT',
    set: inCode,
  },
  {
    what: 'The same, for each byte of the compressed file, beyond the first 64 MiB',
    value: read.maxDecompressionRatio,
    unit: 'bytes',
    code: 'DECOMPRESSION_LIMIT',
    set: inCode,
  },
  { what: 'Columns of a table', value: read.maxColumns, unit: 'columns', code: 'TOO_MANY_COLUMNS', set: inCode },
  {
    what: 'A record as the file has it: a row of CSV, an object of JSON, a row of Arrow or Avro',
    value: read.maxRecordBytes,
    unit: 'bytes',
    code: 'LINE_TOO_LONG',
    set: inCode,
  },
  {
    what: 'The name of a column, as JSON',
    value: MOST_NAME_BYTES,
    unit: 'bytes',
    code: 'CELL_TOO_LARGE',
    set: 'nothing',
  },
  {
    what: 'The type of a column, as SQL writes it',
    value: MOST_TYPE_BYTES,
    unit: 'bytes',
    code: 'UNSUPPORTED_SCHEMA',
    set: 'nothing',
  },
  {
    what: 'A cell as the file has it: a field of CSV, a value of JSON, of Parquet, Arrow or Avro',
    value: read.maxCellBytes,
    unit: 'bytes',
    code: 'CELL_TOO_LARGE',
    set: inCode,
  },
  {
    what: 'The header of a CSV, and a key of JSON (PARSE_ERROR)',
    value: NAME_BYTES,
    unit: 'bytes',
    code: 'LINE_TOO_LONG',
    set: 'nothing',
  },
  {
    what: 'Columns of a table of which records can be left out',
    value: SLICE_COLUMNS,
    unit: 'columns',
    code: 'OPTION_MISFIT',
    set: 'nothing',
  },
  {
    what: 'Tables of one file',
    value: MAX_PUBLICATIONS,
    unit: 'tables',
    code: 'TOO_MANY_TABLES',
    set: 'nothing: one transaction publishes them',
  },
  {
    what: 'A row of the store, such as an annotation',
    value: MAX_ITEM_BYTES,
    unit: 'bytes',
    code: 'LIMIT_EXCEEDED',
    set: 'nothing: DynamoDB takes no more',
  },
];
