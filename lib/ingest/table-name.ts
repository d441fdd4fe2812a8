// Names that callers give to tables and columns.
import * as z from 'zod';

/** Names the table otherwise than its file; of several tables, begins their names. */
export const tableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'It is an identifier: letters, digits and _, no digit first, at most 128.');

/** A column of the table that no file has. */
export const fileColumnName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name.trim() === name && name.isWellFormed() && !/\p{Cc}/u.test(name), 'It is no name of a column.');
