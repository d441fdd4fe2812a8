// Which functions a query may call. Functions that yield tables are allowed by name; of the others a reviewed few are
// refused. A test compares both lists with what this version of DuckDB registers, so an upgrade has to be reviewed.

/** Functions in FROM that compute from their arguments alone. All others (readers, catalogue, settings) are refused. */
export const allowedTableFunctions: ReadonlySet<string> = new Set([
  'generate_series',
  'json_each',
  'json_tree',
  'range',
  'repeat',
  'repeat_row',
  'unnest',
]);

/** Scalar functions, aggregates and macros that are refused, by what they would give. */
const refusedByReason = {
  settings: ['current_setting', 'getvariable'],
  files: ['getenv', 'glob', 'read_blob', 'read_text', 'read_csv', 'read_json', 'read_parquet', 'sniff_csv'],
  otherSql: [
    'query',
    'query_table',
    'json_execute_serialized_sql',
    'json_serialize_plan',
    'json_serialize_sql',
    'json_deserialize_sql',
  ],
  secrets: ['which_secret'],
  logs: ['write_log', 'parse_duckdb_log_message'],
  catalogue: ['format_pg_type', 'format_type', 'get_block_size', 'pg_get_constraintdef', 'pg_get_viewdef', 'stats'],
  session: [
    'current_connection_id',
    'current_query_id',
    'current_transaction_id',
    'txid_current',
    'currval',
    'nextval',
  ],
  waiting: ['pg_sleep', 'sleep_ms'],
  // They take an internal encoding at its word.
  encodings: ['combine', 'finalize', 'variant_bytes_to_variant', 'variant_normalize', 'variant_to_parquet_variant'],
} as const;

const refused: ReadonlySet<string> = new Set<string>(Object.values(refusedByReason).flat());

/** `name` in lower case, as the parser gives it. */
export const isRefusedFunction = (name: string): boolean => refused.has(name) || name.startsWith('__internal_');
