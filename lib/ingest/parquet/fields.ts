// Numbers of fields in the structs of Parquet's footer.
export const fileFields = { schema: 2, rows: 3, rowGroups: 4, orders: 7 } as const;
export const elementFields = {
  ...{ type: 1, width: 2, repetition: 3, name: 4, children: 5 },
  ...{ converted: 6, scale: 7, precision: 8, logical: 10 },
} as const;
export const groupFields = { columns: 1, bytes: 2, rows: 3, offset: 5, compressed: 6, ordinal: 7 } as const;
export const chunkFields = {
  ...{ file: 1, offset: 2, metadata: 3, offsetIndex: 4, offsetIndexLength: 5 },
  ...{ columnIndex: 6, columnIndexLength: 7, crypto: 8, encrypted: 9 },
} as const;
export const metadataFields = {
  ...{ type: 1, codec: 4, uncompressed: 6, compressed: 7, data: 9, index: 10, dictionary: 11 },
  ...{ statistics: 12, encodingStatistics: 13, bloom: 14, bloomLength: 15 },
} as const;
/** Of the header of a page. */
export const pageFields = {
  kind: 1,
  uncompressed: 2,
  compressed: 3,
  checksum: 4,
  data: 5,
  dictionary: 7,
  data2: 8,
} as const;
/** Of a page of values. */
export const dataFields = { values: 1, encoding: 2, definition: 3, repetition: 4 } as const;
/** Of the second version of a page of values. */
export const data2Fields = {
  ...{ values: 1, encoding: 4, definitionBytes: 5, repetitionBytes: 6, isCompressed: 7 },
} as const;
