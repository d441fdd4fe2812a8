// What the values of a table's columns look like, for whoever needs nothing else of them.
import { lookAtTable } from '../look/look-at-table.ts';
import type { ColumnProfile, ProfileRequest } from '../reading/types.ts';

/** Profiles the columns of a table that lies in one or more Parquet files of the same schema, in the order given. */
export const profileTable = async (request: ProfileRequest): Promise<ColumnProfile[]> => [
  ...(await lookAtTable({ ...request, seed: '', wanted: new Set(['profile']) })).profile,
];
