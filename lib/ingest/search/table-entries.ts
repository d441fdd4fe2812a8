// From a published table to its entries: what its manifest says, and over it what people say.
import type { TableRecord } from '../catalog.ts';
import type { Manifest } from '../manifest-schema.ts';
import { type Known, tableEntries, type TableEntries, withoutEntries } from './entries.ts';
import type { Said } from './said.ts';

type Current = NonNullable<TableRecord['current']>;

/** What a manifest, or a column in it, says; the stages that find it may be switched off. */
interface Described extends Pick<Known, 'synonyms' | 'samples'> {
  readonly description?: { readonly text: string } | undefined;
  readonly pii?: { readonly tag: string } | undefined;
  readonly semantic?: { readonly type: string } | undefined;
}

export function entriesOfTable(
  table: TableRecord & { readonly current: Current },
  manifest: Manifest,
  said: Said,
): TableEntries {
  const { dataset, id, name, current } = table;
  const said0 = said.stampOf(id);
  const entries = tableEntries({
    ...{ dataset, table: id, name, manifest: current.manifest },
    ...(said0 !== undefined && { said: said0 }),
    ...knownOf(manifest),
    ...said.of(id),
    columns: manifest.columns.map((column) => ({
      name: column.name,
      type: column.type,
      ...knownOf(column as Described),
      ...said.of(id, column.name),
    })),
  });
  return manifest.indexed === false ? withoutEntries(entries, 'index') : entries;
}

const knownOf = ({ description, synonyms, semantic, samples, pii }: Described): Known => ({
  description: description?.text,
  synonyms,
  semanticType: semantic?.type,
  samples,
  pii: pii?.tag,
});
