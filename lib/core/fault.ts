// The one catalogue of errors. A code that is not in it does not compile; HTTP turns it into an RFC 9457 problem.
import { entry, type FaultEntry } from './fault-entry.ts';
import { fileFaults } from './file-faults.ts';

export const faultCatalogue = {
  // Callers
  VALIDATION_FAILED: entry(422, 'The request does not fit its schema.', 'Correct the fields named in errors.'),
  MALFORMED_JSON: entry(400, 'The body is not JSON.', 'Send a JSON body with content type application/json.'),
  MALFORMED_UPLOAD: entry(
    400,
    'The upload could not be read.',
    'Send the raw bytes, or multipart with one part "file".',
  ),
  UNAUTHORIZED: entry(401, 'No valid API key was given.', 'Send Authorization: Bearer <api key>.'),
  FORBIDDEN: entry(403, 'The API key lacks the scope for this.', 'Use a key that carries the scope named in detail.'),
  NOT_FOUND: entry(404, 'There is no such thing here.', 'Check the id and that the key belongs to its workspace.'),
  ROUTE_NOT_FOUND: entry(404, 'There is no such route.', 'See /v1/openapi.json for the routes.'),
  METHOD_NOT_ALLOWED: entry(405, 'This route does not take that method.', 'Use a method named in the Allow header.'),
  GONE: entry(
    410,
    'It was deleted.',
    'Restore the workspace, the dataset or the table; where that is too late for one of the last two, wait for the end of its purge and ingest the file anew.',
  ),
  CONFLICT: entry(409, 'It exists already or has moved on.', 'Read it again and decide anew.'),
  PRECONDITION_FAILED: entry(
    412,
    'It does not stand as If-Match or If-None-Match says.',
    'Read it again, and send its ETag.',
  ),
  BODY_TOO_LARGE: entry(
    413,
    'The body is over the limit of this route.',
    'Send less; for a file, use the route for presigned parts that uploadRoute names.',
  ),
  UNSUPPORTED_MEDIA_TYPE: entry(
    415,
    'The body is of a type that this route does not take.',
    'Send the content type named in detail, not content-encoded.',
  ),
  UNKNOWN_KIND: entry(422, 'No such job kind is deployed.', 'Use one of the kinds named in detail.'),
  IDEMPOTENCY_KEY_REUSED: entry(
    422,
    'The idempotency key was used for another request.',
    'Use a fresh key, or send the first request again unchanged.',
  ),
  DEDUP_KEY_HELD: entry(
    409,
    'Another job has the dedup key and has not ended.',
    'Wait for the job that jobId names, or cancel it.',
  ),
  TABLE_BUSY: entry(
    409,
    'Another file of the table is under way.',
    'Wait for the job that jobId names; the file that fileId names is kept, and can be ingested by its id.',
  ),
  NAME_NOT_ALLOWED: entry(422, 'The name cannot be used.', 'Use a plain file name of at most 255 characters.'),
  UPLOAD_INCOMPLETE: entry(422, 'The upload lacks parts.', 'Send every part, then complete with all ETags.'),
  // Files
  ...fileFaults,
  // Query
  SQL_INVALID: entry(422, 'The SQL could not be understood.', 'Correct it as detail says.'),
  SQL_NOT_SELECT: entry(422, 'Only one SELECT statement is allowed.', 'Send a single SELECT.'),
  SQL_FORBIDDEN: entry(
    422,
    'The SQL uses something that is not allowed here.',
    'Query the tables of the dataset only.',
  ),
  SQL_PARAMETER: entry(
    422,
    'The parameters do not fit the SQL.',
    'Give each $name of the SQL one value of a type that keeps it, as errors says.',
  ),
  QUERY_TIMEOUT: entry(422, 'The query ran longer than its limit.', 'Filter earlier, aggregate, or ask for less.'),
  QUERY_MEMORY: entry(
    422,
    'The query needs more memory than its limit.',
    'Filter earlier, aggregate, or ask for less.',
  ),
  QUERY_DISK: entry(422, 'The tables of this query exceed the disk.', 'Query fewer or smaller tables.'),
  RESULT_TOO_LARGE: entry(
    422,
    'The result is larger than an answer may be.',
    'Select fewer columns or lower the limit.',
  ),
  INDEX_DAMAGED: entry(
    503,
    'The index of search is lost or damaged, and is being made anew.',
    'Try again after the time in Retry-After.',
    true,
  ),
  // Jobs
  HANDLER_FAILED: entry(500, 'The handler threw.', 'See detail; it is tried again within its budget.', true),
  HANDLER_TERMINAL: entry(422, 'The handler says that it will never work.', 'Correct the input and submit anew.'),
  INPUT_UNREADABLE: entry(422, "The job's stored input is missing or damaged.", 'Submit the job anew.'),
  RESULT_INVALID: entry(500, 'The handler returned what a result cannot hold.', 'Return a JSON value.'),
  OUTPUT_INVALID: entry(500, 'A stage returned what its schema refuses.', 'Correct the stage.'),
  CRASHED: entry(500, 'The worker died or lost its lease.', 'It is tried again within its budget.', true),
  TIMED_OUT: entry(500, 'The attempt ran out of time.', 'It is tried again within its budget.', true),
  DEADLINE_EXCEEDED: entry(
    500,
    'The job was not done by its deadline.',
    'Redrive it, or submit it anew, and give its kind more time.',
  ),
  OUT_OF_MEMORY: entry(
    500,
    'The process ran out of memory.',
    'It is tried again within its budget; give its function more memory, or hold less at once.',
    true,
  ),
  DISK_FULL: entry(
    500,
    'The disk of the worker is full.',
    'It is tried again within its budget; what else is written there may be gone by then. Else give the worker more disk.',
    true,
  ),
  HANDLER_ESCAPED: entry(
    500,
    'The handler tried to end the process, or left an error behind in the background.',
    'It is tried again within its budget; await what the handler starts, and throw instead of exiting.',
    true,
  ),
  HANDLER_INVALID: entry(
    500,
    'The handler uses its context in a way that cannot work.',
    'Correct the handler as detail says, deploy it, and redrive the job.',
  ),
  WAIT_TIMED_OUT: entry(
    409,
    'What the job waited for did not come in time.',
    'Redrive the job, which waits anew, or catch the error in its handler.',
  ),
  STAGE_UNKNOWN: entry(500, 'The deployed pipeline has no such stage.', 'Restart the job on the deployed version.'),
  LIMIT_EXCEEDED: entry(422, 'A size limit was exceeded.', 'See detail for the limit.'),
  CANCELLED: entry(409, 'The job was cancelled.', 'Submit it anew if it is still wanted.'),
  FLOW_DISABLED: entry(409, 'The flow is disabled.', 'Enable the flow, or name another one.'),
  DROPPED: entry(409, 'The job was dropped before it started.', 'See detail for the reason.'),
  TENANT_DELETED: entry(409, 'The tenant is gone.', 'Nothing; the job will not run.'),
  // The platform
  UNAVAILABLE: entry(
    503,
    'A service that this needs does not answer.',
    'Try again after the time in Retry-After.',
    true,
  ),
  ROW_UNREADABLE: entry(
    503,
    'The row of the job is of a format that this release does not read; it was left as it is.',
    'Deploy the release that wrote it, or a later one.',
    true,
  ),
  INTERNAL: entry(500, 'Something that should not happen did.', 'Report the request id.', true),
} as const satisfies Record<string, FaultEntry>;

export type FaultCode = keyof typeof faultCatalogue;

/** One field that is wrong, with a JSON Pointer into the body, e.g. `#/sql`. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

export interface FaultOptions {
  readonly errors?: readonly FieldError[];
  /** Extension members of the problem, e.g. `{uploadRoute: '/v1/…/uploads'}`. Never secrets. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error that a caller may read: a code of the catalogue and what is particular to this case. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: FaultCode, detail: string, options: FaultOptions = {}) {
    super(`${code}: ${detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.errors = options.errors ?? [];
    this.extra = options.extra ?? {};
  }

  get status(): number {
    return faultCatalogue[this.code].status;
  }

  get retriable(): boolean {
    return faultCatalogue[this.code].retriable;
  }
}
