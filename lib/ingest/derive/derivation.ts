// How the rows of a derived table were made: what its manifest keeps, so that it is published, and rolled back, together with them.
import * as z from 'zod';
import type { SnapshotId, TableId } from '../../core/ids.ts';
import type { TableVersion } from '../../job/ports.ts';
import { queryParams } from '../../query/params-schema.ts';

const seenSchema = z.lazy(() =>
  z.strictObject({
    table: z.string(),
    masked: z
      .array(z.string())
      .optional()
      .meta({ description: 'Columns of it that no query could see, and so are NULL.' }),
    tagged: z
      .array(z.strictObject({ name: z.string(), tag: z.string() }))
      .optional()
      .meta({ description: 'Columns of it that were tagged as personal data, and read.' }),
  }),
);
/** What was seen of a table. */
export type Seen = z.infer<typeof seenSchema>;

const sourceSchema = z.lazy(() =>
  seenSchema.unwrap().extend({ name: z.string(), snapshot: z.string(), sequence: z.int() }),
);

export const derivationSchema = z.lazy(() =>
  z.strictObject({
    sql: z.string(),
    params: queryParams.optional(),
    description: z.string().optional(),
    repeatable: z.boolean().meta({
      description: 'False where the SQL asks for the time, for chance or for a sample: a refresh then always runs it.',
    }),
    sources: z.array(sourceSchema).meta({ description: 'The snapshots of the tables that it read, by their names.' }),
    origins: z.array(seenSchema).optional().meta({ description: 'What derived sources were made of themselves.' }),
  }),
);
export type Derivation = z.infer<typeof derivationSchema>;

/** As the pointer of the table keeps them. */
export const versionsOf = ({ sources }: Derivation): TableVersion[] =>
  sources.map(({ table, snapshot, sequence }) => ({
    table: table as unknown as TableId,
    snapshot: snapshot as unknown as SnapshotId,
    sequence,
  }));

/** Whether both read the same rows, with the same columns masked or tagged. */
export const readTheSame = (one: Derivation, other: Derivation): boolean => readIn(one) === readIn(other);

const readIn = ({ sources }: Derivation): string =>
  JSON.stringify(
    sources.map(({ table, snapshot, masked = [], tagged = [] }) => [
      ...[table, snapshot],
      ...[masked.toSorted(), tagged.map(({ name, tag }) => `${tag} ${name}`).toSorted()],
    ]),
  );

/** What the rows of a table were read from, in words: its file, or its sources; undefined where it has none of either. */
export function readFrom(of: {
  readonly source: { readonly name: string };
  readonly derivation?: Derivation | undefined;
}): string | undefined {
  if (of.derivation === undefined) return of.source.name;
  const names = of.derivation.sources.map(({ name }) => name);
  return names.length === 0 ? undefined : names.join(', ');
}
