import * as z from 'zod';

/** Names the table otherwise than its file; of several tables, begins their names. */
export const tableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'It is an identifier: letters, digits and _, no digit first, at most 128.');
