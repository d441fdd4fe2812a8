// What reading a file gives and needs: the shapes that stages, catalogue rows and manifests are built on.
import type { Warning } from '../../core/warning.ts';
import type { SheetFormat } from '../formats/sheet-format.ts';
import type { Rejects } from '../rejects/reject.ts';
import type { ReadOptions } from '../options.ts';

export type TextFormat = 'csv' | 'tsv' | 'json' | 'ndjson';
export type FileFormat = TextFormat | 'parquet' | 'arrow' | 'avro' | SheetFormat;
export type Compression = 'none' | 'gzip' | 'zip' | 'bzip2' | 'zstd';

/** What a name and the first bytes agree on. */
export interface DetectedFormat {
  readonly format: FileFormat;
  readonly compression: Compression;
  /** The file name without its extensions, as an identifier: `2024 sales.csv.gz` gives `t_2024_sales`. */
  readonly tableName: string;
}

/** Where a table stands in a JSON object. */
export interface KeyWithin {
  /** Of a JSON object: the key of its array. */
  readonly key: string;
  /** Of the plain UTF-8 text: the offset of the first byte, and of the one behind the last. */
  readonly start: number;
  readonly end: number;
}

/** A file in an archive of several. */
export interface ArchiveEntry {
  /** Its path in the archive. */
  readonly name: string;
  /** Its place in the archive's list, from 0. */
  readonly index: number;
}

/** Where a table stands in a workbook: rows of a sheet, from 1. */
export interface SheetWithin {
  readonly sheet: string;
  /** 0: there is none. */
  readonly header: number;
  readonly first: number;
  readonly last: number;
  /** From 0, both its own; absent where no other table stands beside it. */
  readonly columns?: { readonly from: number; readonly to: number } | undefined;
}

/** Where a table stands in a file that holds several, or may. */
export type Within = KeyWithin | SheetWithin;

export interface ListedTable {
  /** An identifier, unlike those of the file's other tables. */
  readonly name: string;
  /** Of an archive of several files: the one that it is in, and what that is. */
  readonly entry?: (ArchiveEntry & { readonly format: FileFormat }) | undefined;
  /** Absent where the table is the whole file. */
  readonly within?: Within | undefined;
}

/** What a file holds, before any table of it is read. */
export interface ListedFile {
  /** `archive`: of several files, each of a format of its own. */
  readonly format: FileFormat | 'archive';
  readonly compression: Compression;
  readonly tables: readonly ListedTable[];
  readonly warnings: readonly Warning[];
}

export interface Column {
  /** As in the file: trimmed, blank ones `column_n`, repeated ones numbered. */
  readonly name: string;
  /** DuckDB's name, e.g. `BIGINT`, `DECIMAL(18,2)`, `STRUCT(a BIGINT)`. */
  readonly type: string;
}

export interface ReadLimits {
  /** Bytes that a compressed file may expand to. */
  readonly maxDecompressedBytes: number;
  /** How many times its size a compressed file may expand to, beyond the first 64 MiB. */
  readonly maxDecompressionRatio: number;
  /** Bytes of one record: a CSV row, a JSON object. */
  readonly maxRecordBytes: number;
  /** Bytes of one value as the file has it: a field of CSV with its quotes, a value of JSON with its escapes. */
  readonly maxCellBytes: number;
  readonly maxColumns: number;
  /** Bytes that DuckDB may hold; resident memory is about 150 MB above it. */
  readonly engineMemoryBytes: number;
  readonly engineThreads: number;
  /** Bytes that DuckDB may spill to `workDir`. */
  readonly engineSpillBytes: number;
  /** Bytes of text from which on a file is read in chunks, and of each; more where there would be more than `maxChunks`. */
  readonly chunkBytes: number;
  readonly maxChunks: number;
  /** Chunks that one invocation writes, and how many of them side by side; those of larger files are spread over jobs of their own. */
  readonly chunksAnInvocation: number;
  readonly chunksAtOnce: number;
  /** Bytes of a file that is not read in chunks: one that holds several tables, or is no text. Parquet is read by its row groups above it. */
  readonly maxWholeBytes: number;
  /** Bytes of the parts of a table that are looked at, at its values that is; of a table that has more, some parts are. */
  readonly lookBytes: number;
  /** Bytes of parts that are on the disk at a time while rows are added to a table. What is written of them is there beside them. */
  readonly combineBytes: number;
  /** Bytes of the row groups of Parquet that are a chunk together; one that has more is a chunk by itself. */
  readonly groupBytes: number;
  /** Bytes that the large pages of a row group of Parquet may have together, one of each column; with more they are cut into small ones. */
  readonly pagesBytes: number;
}

/** Fits a function of 1 GB; a 300 MB CSV stays under 512 MB resident. */
export const defaultReadLimits: ReadLimits = {
  maxDecompressedBytes: 5 * 2 ** 30,
  maxDecompressionRatio: 200,
  maxRecordBytes: 32 * 2 ** 20,
  maxCellBytes: 10 * 2 ** 20,
  maxColumns: 10_000,
  engineMemoryBytes: 256 * 2 ** 20,
  engineThreads: 2,
  engineSpillBytes: 4 * 2 ** 30,
  chunkBytes: 64 * 2 ** 20,
  maxChunks: 1000,
  chunksAnInvocation: 8,
  chunksAtOnce: 2,
  maxWholeBytes: 4 * 2 ** 30,
  lookBytes: 4 * 2 ** 30,
  combineBytes: 2 * 2 ** 30,
  groupBytes: 128 * 2 ** 20,
  pagesBytes: 24 * 2 ** 20,
};

export interface ReadRequest {
  /** The local file, as uploaded. */
  readonly path: string;
  /** The name it was uploaded under; the table's name and the format come from it. */
  readonly name: string;
  /** An existing folder for this call alone; what is left in it afterwards is the Parquet file. */
  readonly workDir: string;
  readonly limits: ReadLimits;
  /** Ends the call early; its reason is thrown. */
  readonly signal?: AbortSignal | undefined;
  readonly options?: ReadOptions | undefined;
  /** As `listTables` found it; the whole file by default. */
  readonly within?: Within | undefined;
  /** As `listTables` found it; `within` is then a place in this file. */
  readonly entry?: ArchiveEntry | undefined;
  /** Names of columns, in any case, whose texts stay as they are written; those that are not there are passed over. */
  readonly verbatim?: readonly string[] | undefined;
}

export interface TableRead {
  /** Of formats whose values are read from text. */
  readonly rejects?: Rejects | undefined;
  readonly format: FileFormat;
  readonly compression: Compression;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  /** Inside `workDir`, in the order of the file. */
  readonly parquetPath: string;
  readonly parquetBytes: number;
  readonly warnings: readonly Warning[];
}

export interface ProfileRequest {
  /** The parts of one table, in order. */
  readonly parquetPaths: readonly string[];
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly workDir: string;
  readonly limits: ReadLimits;
  readonly signal?: AbortSignal | undefined;
}

export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** Of all values of a column, where they have it. */
export interface ColumnMeasures {
  /** Of numbers; absent where one is not finite. */
  readonly mean?: number;
  /** Standard deviation of the sample; absent below two values, or where one is beyond 1e150. */
  readonly deviation?: number;
  /** Characters of texts. */
  readonly lengths?: { readonly min: number; readonly max: number; readonly mean: number };
}

/** Of numbers and times. */
export interface ColumnDistribution {
  /** Values of the column, as text. */
  readonly quantiles?: readonly { readonly at: number; readonly value: string }[];
  /** Rows in each of twenty bins of one width from `min` to `max`. */
  readonly histogram?: readonly number[];
  /** Rows that both are of: all of a table with at most 10,000, that many of a larger one. */
  readonly sampled?: number;
}

/** Of texts. */
export interface ColumnPatterns {
  /** The commonest shapes of its values, most frequent first, each with its share of the values, from 0 to 1. */
  readonly patterns?: readonly { readonly pattern: string; readonly share: number }[];
  /** Rows that they are of; absent where they are of all. */
  readonly sampled?: number;
}

/** Values are text: numbers as digits, dates and timestamps in ISO 8601, nested ones as JSON; cut at 256 characters. */
export interface ColumnProfile extends ColumnMeasures, ColumnDistribution, ColumnPatterns {
  readonly name: string;
  readonly type: string;
  /** Rows that all of it is of; absent where they are all rows of the table. */
  readonly rows?: number;
  readonly nulls: number;
  /** From 0 to 1; 0 for a table without rows. */
  readonly nullFraction: number;
  readonly distinct: number;
  readonly distinctIs: 'exact' | 'approximate';
  /** Null where there is no value, or no order (nested types). */
  readonly min: string | null;
  readonly max: string | null;
  /** The five most frequent, most frequent first; empty where there are too many different values to count. */
  readonly topValues: readonly ValueCount[];
}
