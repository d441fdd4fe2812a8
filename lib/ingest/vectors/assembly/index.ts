// What the module offers.
export {
  csvEmptyQuoted,
  csvEnds,
  csvLast,
  csvLongest,
  csvQuotedFields,
  csvQuotedNewline,
  csvRecords,
  csvRows,
} from './csv';
export { jsonColumns, jsonForm, jsonLineEnds, jsonRecords, jsonRoom, jsonTables, jsonTaken } from './json';
export { lineEnds } from './lines';
