// DuckDB's client decodes a value as if it were a file, and drops a byte order mark at its start. A value has none to drop: this module, once
// imported, lets it come out whole.
import accessors from '@duckdb/node-api/lib/vectors/dataAccessors.js';

Object.assign(accessors, { textDecoder: new TextDecoder('utf-8', { ignoreBOM: true }) });
