// Personal data that comes to a derived table from its sources: tags go along by the names of columns, and what is tagged only after the rows
// were made may stand in any column of them.
import type { Documents } from '../../core/documents.ts';
import type { DatasetId, Scope, TableId } from '../../core/ids.ts';
import { annotationsOf, type TableAnnotations } from '../annotations.ts';
import type { Manifest } from '../manifest-schema.ts';
import { tagOf } from '../overlay.ts';
import { type ColumnTag, NONE, type PiiAction } from '../pii/tags.ts';
import type { Derivation, Seen } from './derivation.ts';

const LINEAGE = 'lineage';

/** What is known of a table at the time that it is read: which columns are NULL, and which come through with a tag. */
export function seenOf(
  manifest: Manifest,
  annotations: TableAnnotations,
  masked: readonly string[],
): Pick<Seen, 'masked' | 'tagged'> {
  const tagged = manifest.columns.flatMap((column) => {
    const tag = tagOf(column, annotations);
    return tag === undefined || tag.tag === NONE || masked.includes(column.name)
      ? []
      : [{ name: column.name, tag: tag.tag }];
  });
  return { ...(masked.length > 0 && { masked: [...masked] }), ...(tagged.length > 0 && { tagged }) };
}

/** What derived sources were themselves made of, through any number of them. */
export const originsOf = (manifests: readonly Manifest[]): Seen[] =>
  manifests.flatMap(({ derivation }) => {
    if (derivation === undefined) return [];
    const own = derivation.sources.map(({ table, masked, tagged }) => ({
      table,
      ...(masked && { masked }),
      ...(tagged && { tagged }),
    }));
    return [...own, ...(derivation.origins ?? [])];
  });

/** The tag that a column has since a column of its name in a source has it. */
export function inheritedTag({ sources }: Derivation, column: string): ColumnTag | undefined {
  const name = column.toLowerCase();
  const found = sources.flatMap(({ tagged = [] }) => tagged).find((each) => each.name.toLowerCase() === name);
  return found && { tag: found.tag, source: LINEAGE };
}

export interface TagPlace {
  readonly scope: Scope;
  readonly dataset: DatasetId;
}

/**
 * The manifest of a derived table, where a column of what it was made of is hidden now and was not when its rows were made: each column then
 * has a tag, since nobody knows which of them hold what. Any other manifest as it is.
 */
export async function withLateTags(
  documents: Documents,
  { scope, dataset }: TagPlace,
  manifest: Manifest,
  action: PiiAction,
): Promise<Manifest> {
  const { derivation } = manifest;
  if (derivation === undefined) return manifest;
  const seen = [...derivation.sources, ...(derivation.origins ?? [])];
  const said = await Promise.all(
    seen.map(({ table }) => annotationsOf(documents, scope, dataset, table as unknown as TableId)),
  );
  if (!seen.some((each, at) => said[at] !== undefined && isLate(each, said[at], action))) return manifest;
  const late: ColumnTag = { tag: 'UNKNOWN', source: LINEAGE };
  return { ...manifest, columns: manifest.columns.map((column) => ({ ...column, pii: column.pii ?? late })) };
}

function isLate({ masked = [], tagged = [] }: Seen, { columns }: TableAnnotations, action: PiiAction): boolean {
  const known = new Set([...masked, ...tagged.map(({ name }) => name)]);
  const saidOf = (name: string): string | undefined => columns.get(name)?.body.piiTag;
  const since = [...columns.keys()].some((name) => !known.has(name) && (saidOf(name) ?? NONE) !== NONE);
  const stricter = action === 'mask' || action === 'reject';
  return since || (stricter && tagged.some(({ name }) => saidOf(name) !== NONE));
}
