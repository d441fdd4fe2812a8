// The manifest of a table that a run is about to publish: what its stages found, without what is hidden.
import { type Manifest, manifestSchema } from '../manifest-schema.ts';
import { snapshotHash } from '../drift/snapshot-hash.ts';
import { hiddenManifest } from '../overlay.ts';
import { policyOf } from '../policy.ts';
import { foundTags, withTags } from '../stages/hidden.ts';
import type { ProfiledTable } from '../stages/optional-outputs.ts';
import type { CombinedRows, ReceivedTable } from '../stages/outputs.ts';
import type { Findings, TableFindings } from './findings.ts';

export function manifestOf(
  { file, skips, findable }: Findings,
  { named, read, reconciled: compared, profile, samples, tags, annotations, description }: TableFindings,
): Manifest {
  const profiles = new Map((profile?.columns ?? []).map((each) => [each.name, each]));
  const descriptions = new Map((description?.columns ?? []).map((each) => [each.name, each]));
  const stored = new Map((read.stored ?? []).map((each) => [each.name, each.type]));
  const values = new Map((samples?.columns ?? []).map((each) => [each.name, each.values]));
  const columns = withTags(read.columns, foundTags(tags)).map(({ name, type, pii }) => ({
    ...{ name, type, stored: stored.get(name), profile: profileOf(profiles.get(name)), pii, samples: values.get(name) },
    ...descriptions.get(name),
  }));
  const { rowCount, parts, warnings, rejects } = read;
  const said = file.derivation?.made.description;
  const manifest = manifestSchema.parse({
    v: 1,
    table: named.tableName,
    ...(description && { description: description.description, synonyms: description.synonyms }),
    ...(said !== undefined && { description: { text: said, source: 'definition' } }),
    rowCount,
    columns,
    parts,
    ...(samples && { sampleRows: samples.rows }),
    warnings: [
      ...file.warnings,
      ...warnings,
      ...(tags?.warnings ?? []),
      ...(description?.warnings ?? []),
      ...skips.map(({ warning }) => warning),
    ],
    ...(!findable && { indexed: false }),
    ...(skips.length > 0 && { degraded: skips.map(({ stage }) => stage) }),
    ...(rejects && { rejects }),
    source: {
      ...file.source,
      ...(named.entry && { entry: named.entry.name, format: named.entry.format }),
      ...placeOf(named.within),
    },
    changes: compared.changes,
    ...(file.derivation && { derivation: file.derivation.made }),
    ...(compared.combined && { added: addedOf(compared.combined) }),
    hash: snapshotHash(columns),
  });
  return hiddenManifest(manifest, annotations, policyOf(file.policy).pii.action);
}

const addedOf = ({ base, added, replaced }: CombinedRows) => ({ ...(base && { to: base }), rows: added, replaced });

/** What of the file the table was read from, as people know it. */
function placeOf(within: ReceivedTable['within']): Pick<Manifest['source'], 'key' | 'sheet'> {
  if (within === undefined) return {};
  return 'key' in within ? { key: within.key } : { sheet: within.sheet };
}

function profileOf(profile: ProfiledTable['columns'][number] | undefined) {
  if (profile === undefined) return undefined;
  const { name: _name, type: _type, distinctIs, ...measured } = profile;
  return { ...measured, distinctIsExact: distinctIs === 'exact' };
}
