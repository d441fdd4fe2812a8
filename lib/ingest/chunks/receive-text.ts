// A large text, received: planned in chunks of it as it lies in the store, or as UTF-8.
import type { StageContext } from '../../pipeline/stage.ts';
import type { DetectedEncoding } from '../formats/encoding/detect.ts';
import { receiveGroups } from '../parquet/groups/receive-groups.ts';
import { attemptKey } from '../stages/place.ts';
import { readAsUtf8 } from './as-utf8.ts';
import { type InRuns, inRuns } from './in-runs.ts';
import { largeText, requireWhole } from './large.ts';
import { type Plain, storedPlain } from './plain.ts';
import { type Planned, planTables, type Tables } from './plan-tables.ts';
import type { Looked, Receiving } from './receiving.ts';
import { hashFor } from './text-hash.ts';

/** Text that is not compressed, in whatever encoding; JSON. */
export interface RawText extends Tables {
  /** From its first byte on. */
  readonly plain: Plain;
  /** As the caller or the head says. */
  readonly encoding: DetectedEncoding;
}

/** Of a file that is not compressed. Faults: FILE_TOO_LARGE, those of `largeText` and `planInRuns`, and what reading it as a whole throws. */
export async function receiveText(ctx: StageContext, receiving: Receiving): Promise<Looked> {
  const { file, name, as, limits, take, whole } = receiving;
  const large = await largeText(ctx, receiving);
  if (large === undefined) {
    const parquet = file.size > limits.maxWholeBytes ? await receiveGroups(ctx, receiving) : undefined;
    if (parquet !== undefined) return parquet;
    requireWhole(file, limits);
    return { kind: 'found', of: await whole() };
  }
  const { format, holds, encoding, tableName } = large;
  const named = as ?? tableName;
  // A file that takes longer to read does not overtake a later one, and draws once however often it is begun.
  const table = holds === 'keys' ? undefined : await ctx.step('sequence', () => take({ name: named }));
  const came = await planInRuns(ctx, receiving, { plain: storedPlain(file), format, holds, encoding, named, table });
  if (came.kind === 'continue') return came;
  const { sha256, ...planned } = came.value;
  const source = { name, format, compression: 'none', bytes: file.size, sha256 };
  return { kind: 'found', of: { source, ...planned } };
}

/** The hash is of the text as it was. Faults: those of `planTables`, `otherEncoding` and `recodeText`. */
export const planInRuns = (ctx: StageContext, receiving: Receiving, text: RawText): Promise<InRuns<Planned>> =>
  inRuns(ctx, (step) => planned(ctx, receiving, { ...text, step }));

type Planning = RawText & Pick<StageContext, 'step'>;

async function planned(ctx: StageContext, receiving: Receiving, { step, ...text }: Planning): Promise<Planned> {
  const { dataset, limits } = receiving;
  const { table, named } = text;
  const keys = async () => {
    const folder = table?.table ?? (await step('folder', () => receiving.hold(named)));
    return (piece: number) => attemptKey(ctx, dataset, folder, `utf8-${piece}`);
  };
  const any = { ...receiving, ...text, step, keys, hash: hashFor(text.plain.size, limits) };
  const { value, sha256, warnings } = await readAsUtf8(ctx, any, (plain, itsStep) =>
    planTables(ctx, { ...receiving, ...text, plain, step: itsStep }),
  );
  return { ...value, sha256: sha256 ?? value.sha256, warnings: [...value.warnings, ...warnings] };
}
