// The contract of the query room: what a query is given, what bounds it, and what it answers.
import type { DuckDBInstance } from '@duckdb/node-api';
import type { Clock, DurationMs } from '../core/time.ts';

/** One column by its name and its DuckDB type as text, e.g. `DECIMAL(18,3)`. */
export interface QueryColumn {
  readonly name: string;
  readonly type: string;
}

/** A column of a table, whose parts may hold it as another type, which keeps its values: Parquet has not all of them. */
export interface TableColumn extends QueryColumn {
  readonly stored?: string | undefined;
}

/** One published table: its Parquet parts on local disk, in order. */
export interface QueryTable {
  readonly name: string;
  /** Needed when `parts` is empty: the table then exists with these columns and no row. */
  readonly columns?: readonly TableColumn[];
  /** Absolute local paths. */
  readonly parts: readonly string[];
  /** Columns, each also in `columns`, whose values no statement sees: they are NULL. */
  readonly masked?: readonly string[] | undefined;
}

export interface QueryLimits {
  /** Megabytes (10^6 bytes) that DuckDB may hold. */
  readonly memoryMb: number;
  readonly threads: number;
  /** From the start of the parse to the last row. */
  readonly timeoutMs: DurationMs;
  /** The most rows of one answer, whatever the caller's limit says. */
  readonly rowCap: number;
  /** The most bytes of the rows as JSON. */
  readonly resultBytes: number;
  /** A folder for what does not fit in memory; a folder of its own is made inside it for each query and removed. */
  readonly tempDirectory: string;
  /** Megabytes that one query may spill; 0 turns spilling off. */
  readonly tempMb: number;
}

export type PlainParam = string | number | boolean | null;
/** A value as text of a type by name: what JSON has no form for. `DATE[]` and the like take an array. */
export interface TypedParam {
  readonly type: string;
  readonly value: PlainParam | readonly PlainParam[];
}
/** By name, without the `$`. */
export type QueryParams = Readonly<Record<string, PlainParam | TypedParam>>;

export interface QueryRequest {
  readonly sql: string;
  /** A value for each `$name` of the SQL. */
  readonly params?: QueryParams | undefined;
  /** Rows wanted; `rowCap` when absent. */
  readonly limit?: number | undefined;
  /** Where `file` writes; the others answer. */
  readonly into?: ResultOrder | undefined;
}

export type ResultFormat = 'json' | 'ndjson' | 'csv' | 'arrow' | 'parquet';

/** `rows` is for our own reading: the columns as JSON, each row an array, and `end`, a line each. */
export type FileFormat = ResultFormat | 'rows';

/** A file that is to be written. */
export interface ResultOrder {
  readonly format: FileFormat;
  /** Absolute; nothing is there yet. */
  readonly path: string;
  /** The most rows, Infinity for all of them. */
  readonly rows: number;
  /** The most bytes. */
  readonly bytes: number;
}

export interface QueryWorld {
  readonly tables: readonly QueryTable[];
  readonly limits: QueryLimits;
  readonly clock: Clock;
  /** Stops the query when it aborts; the answer is then the fault CANCELLED. */
  readonly signal?: AbortSignal | undefined;
  /** Gives a blank engine that nobody has used; one is opened for the query where this is absent. */
  readonly opened?: (() => Promise<DuckDBInstance>) | undefined;
}

export interface QueryAnswer {
  readonly columns: readonly QueryColumn[];
  /** JSON values by the rules of values.ts, a row an array in the order of `columns`. */
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number;
  /** True when the query had more rows than the limit. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}

/** What a statement would give, found without running it. */
export interface QueryCheck {
  /** Null where they follow from parameters whose values were not given. */
  readonly columns: readonly QueryColumn[] | null;
  /** By name without the `$`, in the order of the statement; `type` is null where it follows from the value. */
  readonly parameters: readonly { readonly name: string; readonly type: string | null }[];
  /** Those that it reads, as they are called. */
  readonly tables: readonly string[];
  /** False where it asks for the time, for chance or for a sample, so that it answers otherwise when it is run again. */
  readonly repeatable: boolean;
}

export interface QueryPlan {
  /** DuckDB's operators, each `{name, children, extra_info}`; the first is the one that answers. */
  readonly plan: readonly unknown[];
}

/** The file that was written. */
export interface QueryFile extends Omit<QueryAnswer, 'rows'> {
  readonly bytes: number;
}

/** What may be asked of a statement, and what is answered. */
export interface QueryAnswers {
  readonly rows: QueryAnswer;
  readonly check: QueryCheck;
  readonly plan: QueryPlan;
  readonly file: QueryFile;
}

export type QueryWant = keyof QueryAnswers;

/** Does one thing with one SELECT over the given tables, or throws a Fault (SQL_*, QUERY_*, RESULT_TOO_LARGE, CANCELLED). */
export type AskQuery = <W extends QueryWant>(
  want: W,
  request: QueryRequest,
  world: QueryWorld,
) => Promise<QueryAnswers[W]>;
