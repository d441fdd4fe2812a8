import type { Documents } from '../../core/documents.ts';
import type { Objects } from '../../core/objects.ts';
import { millis } from '../../core/time.ts';
import type { FollowUp } from '../../job/waits/owed.ts';
import { defineStage, publish, type StageContext } from '../../pipeline/stage.ts';
import { writeOnce } from '../../pipeline/write-once.ts';
import { versionsOf } from '../derive/derivation.ts';
import { type Findings, findingsOf, type TableFindings } from '../publishing/findings.ts';
import { manifestOf } from '../publishing/manifest-of.ts';
import { type IngestResult, resultOf, resultSchema, warningsOf } from '../publishing/result-of.ts';
import { withShownValues } from '../publishing/shown-values.ts';
import type { ReadLimits } from '../reading/types.ts';
import { afterIngest } from '../search/after-ingest.ts';
import { newBytes } from '../usage.ts';
import { attemptKey } from './place.ts';
import { requireParts } from './require-parts.ts';

interface Deps {
  readonly documents: Documents;
  readonly objects: Objects;
  readonly limits: ReadLimits;
  /** The most that a workspace may store. */
  readonly workspaceBytes: number | undefined;
}

/** Writes the manifests of this attempt, whose parts are all there, and asks for the settle that makes all of its snapshots visible at once. */
export const createPublish = ({ documents, objects, limits, workspaceBytes }: Deps) =>
  defineStage({
    name: 'publish',
    output: resultSchema,
    run: async (ctx, _before: unknown) => {
      const findings = await withShownValues(ctx, objects, await findingsOf(ctx, { documents, limits }));
      await requireParts(ctx, objects, findings);
      const publications = [];
      for (const table of findings.made) publications.push(await publicationOf(ctx, objects, findings, table));
      return publish<IngestResult>({
        publications,
        stored: { bytes: bytesOf(findings.made), most: workspaceBytes },
        result: (superseded) => resultOf(findings, superseded),
        warnings: warningsOf(findings).length,
        next: nextOf(findings),
      });
    },
  });

/** Of the parts that no snapshot has named before. */
const bytesOf = (made: readonly TableFindings[]): number =>
  made.reduce((sum, { read, reconciled: { combined } }) => sum + (combined?.newBytes ?? newBytes(read.parts)), 0);

/** The index is merged after a publish, and a pass goes on with the columns that a model was to describe and has not. */
function nextOf({ file: { dataset }, made, findable, passAfter }: Findings): FollowUp | undefined {
  if (made.length === 0) return undefined;
  const delay = passAfter === undefined ? undefined : millis(passAfter);
  const pass = { kind: 'describe-pass', input: { dataset, follows: true }, delay };
  if (findable) return afterIngest(dataset, delay === undefined ? [] : [pass]);
  return delay === undefined ? undefined : pass;
}

async function publicationOf(ctx: StageContext, objects: Objects, findings: Findings, made: TableFindings) {
  const { dataset, datasetCreatedAt, derivation } = findings.file;
  const { table, sequence } = made.named;
  const manifest = attemptKey(ctx, dataset, table, 'manifest.json');
  await writeOnce(objects, manifest, JSON.stringify(manifestOf(findings, made)));
  const { snapshot, combined } = made.reconciled;
  const built = combined ? { snapshot: combined.base } : derivation?.base;
  const common = { dataset, datasetCreatedAt, table, snapshot, sequence, manifest, publishedAt: ctx.clock.now() };
  return {
    ...common,
    ...(built && { base: { snapshot: built.snapshot } }),
    ...(derivation && { sources: versionsOf(derivation.made) }),
  };
}
