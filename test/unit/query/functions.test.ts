// Fails when an upgrade of DuckDB brings functions that nobody has judged yet. To pass again: read what each new name
// does, add it to lib/query/functions.ts if it must be refused, and then to the lists or the fingerprint here.
import { createHash } from 'node:crypto';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { varyingFunctions } from '../../../lib/query/repeatable.ts';
import { allowedTableFunctions, isRefusedFunction } from '../../../lib/query/functions.ts';

const byKind = new Map<string, string[]>();
beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    'SELECT function_type, list(DISTINCT function_name ORDER BY function_name) FROM duckdb_functions() GROUP BY ALL',
  );
  for (const [kind, names] of reader.getRowsJS()) byKind.set(kind as string, names as string[]);
  connection.closeSync();
  instance.closeSync();
});

const namesOf = (...kinds: string[]): string[] => kinds.flatMap((kind) => byKind.get(kind) ?? []).toSorted();

const refusedTableFunctions = `
  arrow_scan arrow_scan_dumb check_peg_parser checkpoint disable_logging disable_peg_parser disable_profiling
  duckdb_approx_database_count duckdb_columns duckdb_connection_count duckdb_constraints duckdb_coordinate_systems
  duckdb_databases duckdb_dependencies duckdb_extensions duckdb_external_file_cache duckdb_functions duckdb_indexes
  duckdb_keywords duckdb_log_contexts duckdb_logs duckdb_logs_parsed duckdb_memory duckdb_optimizers
  duckdb_prepared_statements duckdb_profiling_settings duckdb_schemas duckdb_secret_types duckdb_secrets
  duckdb_sequences duckdb_settings duckdb_table_sample duckdb_tables duckdb_temporary_files duckdb_types
  duckdb_variables duckdb_views enable_logging enable_peg_parser enable_profiling force_checkpoint glob histogram
  histogram_values icu_calendar_names json_execute_serialized_sql parquet_bloom_probe parquet_file_metadata
  parquet_full_metadata parquet_kv_metadata parquet_metadata parquet_scan parquet_schema pg_timezone_names
  pragma_collations pragma_database_size pragma_metadata_info pragma_platform pragma_show pragma_storage_info
  pragma_table_info pragma_user_agent pragma_version query query_table read_blob read_csv read_csv_auto read_duckdb
  read_json read_json_auto read_json_objects read_json_objects_auto read_ndjson read_ndjson_auto read_ndjson_objects
  read_parquet read_text seq_scan sniff_csv sql_auto_complete summary test_all_types test_vector_types
  truncate_duckdb_logs which_secret`
  .trim()
  .split(/\s+/);

describe('every function of this DuckDB has been judged', () => {
  it('those that yield tables by name', () => {
    expect(namesOf('table', 'table_macro')).toEqual([...refusedTableFunctions, ...allowedTableFunctions].toSorted());
  });

  it('the others by the fingerprint of their names', () => {
    const names = namesOf('scalar', 'aggregate', 'macro');
    expect(names.length).toBeGreaterThan(700);
    expect(createHash('sha256').update(names.join(' ')).digest('hex').slice(0, 16)).toBe('5f0adaf195a10b7b');
  });

  it('and those whose answer depends on more than their arguments are few', async () => {
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    const reader = await connection.runAndReadAll(
      "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability <> 'CONSISTENT' ORDER BY 1",
    );
    const open = reader
      .getRowsJS()
      .flat()
      .map(String)
      .filter((name) => !isRefusedFunction(name));
    connection.closeSync();
    instance.closeSync();
    expect(open).toEqual(consistentWithinQuery);
    expect(open.filter((name) => !varyingFunctions.has(name))).toEqual(sameEachTime);
  });
});

/** The session's time, names and chance, and the user's own error: nothing of the machine. */
const consistentWithinQuery = `
  current_database current_date current_query current_schema current_schemas error gen_random_uuid get_current_time
  get_current_timestamp in_search_path now random setseed today transaction_timestamp uuid uuidv4 uuidv7`
  .trim()
  .split(/\s+/);

/** A query of the service has one session, whatever it is. */
const sameEachTime = [
  'current_database',
  'current_query',
  'current_schema',
  'current_schemas',
  'error',
  'in_search_path',
];
