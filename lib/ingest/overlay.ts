// A manifest as it may be shown: with the tags that people gave, and without the values that tags and policy hide. Manifests are written through
// this and read through it, so that a tag given late hides at once, and nothing that it hides is written again.
import type { TableAnnotations } from './annotations.ts';
import type { Manifest } from './manifest-schema.ts';
import { bareProfile } from './pii/bare-profile.ts';
import { type ColumnTag, hidesValues, masksValues, NONE, type PiiAction } from './pii/tags.ts';
import { hiddenRejects } from './rejects/reject.ts';
import { type WarningCode, warningCatalogue } from './warnings.ts';

type ManifestColumn = Manifest['columns'][number];

/** What a person says goes before what was found. */
export function tagOf(
  { name, pii }: Pick<ManifestColumn, 'name' | 'pii'>,
  { columns }: TableAnnotations,
): ColumnTag | undefined {
  const said = columns.get(name)?.body.piiTag;
  return said === undefined ? pii : { tag: said, source: 'human' };
}

/** The columns whose values queries must not see. */
export const maskedColumns = (manifest: Manifest, annotations: TableAnnotations, action: PiiAction): string[] =>
  manifest.columns.filter((column) => masksValues(tagOf(column, annotations), action)).map(({ name }) => name);

/** The columns whose values stand in no sample and no profile. */
export const hiddenColumns = (
  columns: readonly Pick<ManifestColumn, 'name' | 'pii'>[],
  annotations: TableAnnotations,
  action: PiiAction,
): ReadonlySet<string> =>
  new Set(columns.filter((column) => hidesValues(tagOf(column, annotations), action)).map(({ name }) => name));

/** The columns of which a person says that they hold nothing personal. */
export const clearedColumns = ({ columns }: TableAnnotations): ReadonlySet<string> =>
  new Set([...columns].flatMap(([name, { body }]) => (body.piiTag === NONE ? [name] : [])));

/**
 * The manifest without any value of a hidden column, with the tags as they were found: what is written. `described` has the tags under which
 * its descriptions were made, where they are others.
 */
export function hiddenManifest(
  manifest: Manifest,
  annotations: TableAnnotations,
  action: PiiAction,
  described: Manifest = manifest,
): Manifest {
  const hidden = hiddenColumns(manifest.columns, annotations, action);
  if (hidden.size === 0) return manifest;
  const { sampleRows, rejects, description, ...rest } = manifest;
  const known = new Set(described.columns.filter(({ pii }) => hidesValues(pii, action)).map(({ name }) => name));
  // Who described a column that nobody had tagged yet has seen its values, and may quote them.
  const late = ({ name }: ManifestColumn): boolean => hidden.has(name) && !known.has(name);
  const quotes = description?.source === 'model' && manifest.columns.some(late);
  return {
    ...rest,
    ...(description !== undefined && !quotes && { description }),
    columns: manifest.columns.map((column) =>
      hidden.has(column.name) ? withoutValues(late(column) ? undescribed(column) : column) : column,
    ),
    warnings: withoutExamples(manifest.warnings, hidden),
    ...(sampleRows !== undefined && { sampleRows: withoutColumns(sampleRows, hidden) }),
    ...(rejects !== undefined && { rejects: hiddenRejects(rejects, hidden) }),
  };
}

/** The same with the tags that hold: what is read. */
export function shownManifest(
  manifest: Manifest,
  annotations: TableAnnotations,
  action: PiiAction,
  described: Manifest = manifest,
): Manifest {
  const hidden = hiddenManifest(manifest, annotations, action, described);
  const columns = hidden.columns.map(({ pii: found, ...column }) => {
    const tag = tagOf({ name: column.name, pii: found }, annotations);
    return { ...column, ...(tag !== undefined && { pii: tag }) };
  });
  return { ...hidden, columns };
}

function undescribed({ description: _description, ...column }: ManifestColumn): ManifestColumn {
  return column;
}

function withoutValues({ samples: _samples, profile, ...column }: ManifestColumn): ManifestColumn {
  return { ...column, ...(profile !== undefined && { profile: bareProfile(profile) }) };
}

function withoutColumns({ columns, rows }: NonNullable<Manifest['sampleRows']>, hidden: ReadonlySet<string>) {
  const kept = columns.flatMap((name, at) => (hidden.has(name) ? [] : [at]));
  return {
    columns: kept.map((at) => columns[at] ?? ''),
    rows: rows.map((row) => kept.map((at) => row[at] ?? null)),
  };
}

/** Examples are values, and what is particular to a case may quote one; of a warning of no column nobody knows whose values. */
export const withoutExamples = (warnings: Manifest['warnings'], hidden: ReadonlySet<string>): Manifest['warnings'] =>
  warnings.map(({ example: _example, ...warning }) => {
    if (warning.column !== undefined && !hidden.has(warning.column))
      return { ...warning, ...(_example !== undefined && { example: _example }) };
    const general = warningCatalogue[warning.code as WarningCode] as string | undefined;
    return warning.column === undefined ? warning : { ...warning, message: general ?? warning.message };
  });
