// What the module offers.
export {
  csvEmptyQuoted,
  csvEnds,
  csvFields,
  csvLongest,
  csvQuotedFields,
  csvQuotedNewline,
  csvRecords,
  csvRows,
  csvShort,
  csvShortAt,
  csvShortEnd,
  csvShortRow,
  csvWidest,
} from './csv';
export { jsonColumns, jsonForm, jsonLineEnds, jsonRecords, jsonRoom, jsonTables, jsonTaken } from './json';
export { lineEnds } from './lines';
