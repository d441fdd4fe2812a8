// The part of the catalogue of errors that is about files and what becomes of them.
import { entry } from './fault-entry.ts';

export const fileFaults = {
  EMPTY_FILE: entry(422, 'The file holds no data.', 'Upload a file with at least a header.'),
  FORMAT_MISMATCH: entry(
    422,
    'The content is not what the name says.',
    'Rename the file to what it is, or upload the right one.',
  ),
  FORMAT_UNKNOWN: entry(
    422,
    'The format was not recognised.',
    'Use .csv, .tsv, .json, .ndjson, .parquet, .arrow, .feather, .avro, .xlsx, .xls or .ods, plain or with .gz, .bz2, .zst or .zip.',
  ),
  ENCODING_INVALID: entry(422, 'The text is not in a known encoding.', 'Save it as UTF-8, or say its encoding.'),
  COMPRESSION_CORRUPT: entry(
    422,
    'The compressed data is cut short or damaged.',
    'Compress the file again and upload it.',
  ),
  ARCHIVE_SEVERAL_FILES: entry(
    422,
    'The archive holds more files than are read, or several where one is expected.',
    'Upload an archive with fewer files, or each file by itself.',
  ),
  ARCHIVE_ENCRYPTED: entry(422, 'The archive is encrypted.', 'Upload it without a password.'),
  ARCHIVE_NESTED: entry(422, 'The archive holds another archive.', 'Upload the inner archive, or the file in it.'),
  ARCHIVE_ENTRY_NAME: entry(
    422,
    'The archive names its file in a way that is not followed.',
    'Pack the file again under a plain name.',
  ),
  ARCHIVE_METHOD: entry(
    422,
    'The archive is compressed in a way that is not read.',
    'Pack the file again as an ordinary zip, or upload it plain.',
  ),
  WORKBOOK_ENCRYPTED: entry(
    422,
    'The workbook is protected by a password.',
    'Remove the password in the program that made it, save it, and upload it again.',
  ),
  DECOMPRESSION_LIMIT: entry(422, 'The file expands beyond the limit.', 'Split it, or upload it uncompressed.'),
  PARSE_ERROR: entry(422, 'The file could not be read whole.', 'Correct the place named in detail and upload again.'),
  LINE_TOO_LONG: entry(422, 'A line is longer than the limit.', 'Check the delimiter and quotes at the place named.'),
  CELL_TOO_LARGE: entry(
    422,
    'A value is larger than a cell may be.',
    'Shorten the value at the place named. Where there is none that large, check the quotes: one that is never closed takes in all that follows.',
  ),
  UNSUPPORTED_SCHEMA: entry(
    422,
    'The schema of the file has a type that is not read.',
    'Write the table without the type that detail names.',
  ),
  BLOCK_TOO_LARGE: entry(
    422,
    'A batch or a block of the file takes too much memory.',
    'Write the file again with fewer rows in each batch.',
  ),
  TOO_MANY_COLUMNS: entry(422, 'The table has too many columns.', 'Split the table.'),
  OPTION_MISFIT: entry(
    422,
    'An option does not fit the file.',
    'Correct the option that detail names, or leave it out.',
  ),
  DRIFT_REFUSED: entry(
    422,
    'The columns changed in a way that the dataset does not take.',
    'Correct the file as detail says, or change the policy of the dataset and ingest the file again.',
  ),
  PII_FOUND: entry(
    422,
    'The file holds personal data, which the policy of the dataset rejects.',
    'Leave the columns that detail names out, say in an annotation that they hold none, or change the policy.',
  ),
  VALUE_MISFIT: entry(
    422,
    'A value does not fit the type that the upload asks for.',
    'Correct the value, ask for another type, or say with onMisfit that such values become NULL or their records are left out.',
  ),
  TOO_MANY_REJECTS: entry(
    422,
    'More records do not fit than the upload allows to leave out.',
    'Correct the file or its options, or allow more: maxRejects, maxRejectShare.',
  ),
  FILE_TOO_LARGE: entry(
    422,
    'The file is too large to be read as a whole.',
    'Split it, or upload it as CSV or NDJSON, compressed or not, or as plain Parquet.',
  ),
  INGEST_MEMORY: entry(
    422,
    'The table needs more memory than an ingest may hold.',
    'Write the file with shorter values, fewer columns or smaller row groups, or split it.',
  ),
  INGEST_DISK: entry(422, 'The table needs more disk than an ingest may take.', 'Split the file, or its columns.'),
  STORAGE_QUOTA_EXCEEDED: entry(
    409,
    'The workspace would store more than it may.',
    'Remove what is not needed, or have the limit of the deployment raised.',
  ),
  TOO_MANY_TABLES: entry(422, 'The file holds too many tables.', 'Split the file.'),
  NOT_ONE_TABLE: entry(
    422,
    'A file that is to be a part of one table holds several.',
    'Say which of them by an option (sheet, jsonPath), or leave the file out and ingest it by itself.',
  ),
  PREVIEW_LIMIT: entry(
    422,
    'The file is too large for a preview.',
    'Preview its first rows as a file of their own, or ingest it.',
  ),
  COLUMN_MISFIT: entry(
    422,
    'New rows do not fit a column of the table.',
    'Correct the column that detail names, or replace the table.',
  ),
  KEY_INVALID: entry(
    422,
    'The key does not name each row once.',
    'Correct the key columns, or the rows that detail counts.',
  ),
  BASE_MOVED: entry(
    409,
    'The table was published anew while a job built on what it held.',
    'Submit it again: it builds on what is published now.',
  ),
  TABLE_DERIVED: entry(
    409,
    'The rows of the table are derived by SQL, so that no file takes their place.',
    'Upload the file under another table name, or change the SQL of the table.',
  ),
  TABLE_UPLOADED: entry(
    409,
    'The rows of the table are uploaded, not derived.',
    'Give the derived table another name; only a derived table is refreshed.',
  ),
  DERIVATION_CYCLE: entry(
    422,
    'The table would be derived from itself.',
    'Leave the tables that detail names out of the SQL.',
  ),
} as const;
