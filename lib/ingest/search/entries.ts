// What is looked for: an entry for each table and for each of its columns, made of what its manifest and people say. Values stand in an
// entry only as the samples that the manifest has, and none of a column that holds personal data.
import * as z from 'zod';
import type { DatasetId, TableId } from '../../core/ids.ts';
import { idOf } from '../id-of.ts';
import { readName } from '../long-names.ts';

/** The fields that are searched, and what a match in each counts. */
export const searchFields = {
  name: 4,
  table: 1.5,
  synonyms: 2.5,
  semanticType: 2,
  description: 1.5,
  samples: 1,
} as const;
export type SearchField = keyof typeof searchFields;
export const fieldNames = Object.keys(searchFields) as SearchField[];

/** Characters of a description, and of a sample, that are searched; how many samples and synonyms. */
const MOST = { description: 1000, sample: 100, samples: 10, synonyms: 20 } as const;

const columnEntry = z.lazy(() =>
  z.strictObject({
    name: z.string(),
    type: z.string(),
    description: z.string().optional(),
    synonyms: z.array(z.string()).optional(),
    semanticType: z.string().optional(),
    samples: z.array(z.string()).optional(),
  }),
);
export type ColumnEntry = z.infer<typeof columnEntry>;

/** A table as an index has it. */
export const tableEntriesSchema = z.lazy(() =>
  z.strictObject({
    dataset: idOf('ds'),
    table: idOf('tbl'),
    name: z.string(),
    /** The manifest that they were made of: another one is published by now where the table names another. */
    manifest: z.string(),
    /** Tells what people have said since from what they said then. */
    said: z.string().optional(),
    description: z.string().optional(),
    synonyms: z.array(z.string()).optional(),
    /** Why nothing of it is found: the index is full, or the table was published without. */
    without: z.enum(['room', 'index']).optional(),
    columns: z.array(columnEntry),
  }),
);
export type TableEntries = z.infer<typeof tableEntriesSchema>;

/** One thing that can be found. */
export interface Entry {
  /** The table's id, with `#` and the place of the column where it is a column. */
  readonly id: string;
  readonly of: TableEntries;
  readonly column?: ColumnEntry | undefined;
}

export function entriesOf(table: TableEntries): Entry[] {
  if (table.without !== undefined) return [];
  const columns = table.columns.map((column, at): Entry => ({ id: `${table.table}#${at}`, of: table, column }));
  return [{ id: table.table, of: table }, ...columns];
}

/** The texts of a field, each searched by itself. */
export function textsOf({ of: table, column }: Entry, field: SearchField): readonly string[] {
  if (field === 'name') return [readName(column?.name ?? table.name)];
  if (field === 'table') return column ? [table.name] : [];
  if (field === 'synonyms') return (column ?? table).synonyms ?? [];
  if (field === 'description') return some((column ?? table).description);
  if (field === 'semanticType') return some(column?.semanticType);
  return column?.samples ?? [];
}

const some = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : [text]);

/** Kept in place of a table that is not to be found, so that it is not read again until it changes. */
export const withoutEntries = (
  { dataset, table, name, manifest, said }: Omit<TableEntries, 'columns'>,
  without: NonNullable<TableEntries['without']>,
): TableEntries => ({ dataset, table, name, manifest, ...(said !== undefined && { said }), without, columns: [] });

/** What is known of a table or of a column besides its name. */
export interface Known {
  readonly description?: string | undefined;
  readonly synonyms?: readonly string[] | undefined;
  readonly semanticType?: string | undefined;
  readonly samples?: readonly string[] | undefined;
  /** The class of personal data that it holds; undefined or `NONE` for none. */
  readonly pii?: string | undefined;
}

export interface EntrySource extends Known {
  readonly dataset: DatasetId;
  readonly table: TableId;
  readonly name: string;
  readonly manifest: string;
  readonly said?: string | undefined;
  readonly columns: readonly (Known & { readonly name: string; readonly type: string })[];
}

const cut = (text: string, characters: number): string => text.slice(0, characters).toWellFormed();

function knownOf({ description = '', synonyms = [], semanticType, samples = [], pii = 'NONE' }: Known) {
  const shown = pii === 'NONE' ? samples : [];
  return {
    ...(description !== '' && { description: cut(description, MOST.description) }),
    ...(synonyms.length > 0 && {
      synonyms: synonyms.slice(0, MOST.synonyms).map((each) => cut(each, MOST.sample)),
    }),
    ...(semanticType !== undefined && { semanticType }),
    ...(shown.length > 0 && { samples: shown.slice(0, MOST.samples).map((each) => cut(each, MOST.sample)) }),
  };
}

/** The entries of a table, bounded, and without any value of a column that holds personal data. */
export function tableEntries({ dataset, table, name, manifest, said, columns, ...known }: EntrySource): TableEntries {
  const { description, synonyms } = knownOf(known);
  return {
    ...{ dataset, table, name, manifest },
    ...(said !== undefined && { said }),
    ...(description !== undefined && { description }),
    ...(synonyms !== undefined && { synonyms }),
    columns: columns.map((column) => ({ name: column.name, type: column.type, ...knownOf(column) })),
  };
}
