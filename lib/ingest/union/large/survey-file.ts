// One of several files that are one table, as pass one finds it: its structure, its chunks, and a sample of its rows.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../../../core/fault.ts';
import type { Objects } from '../../../core/objects.ts';
import type { Warning } from '../../../core/warning.ts';
import type { StageContext } from '../../../pipeline/stage.ts';
import { readAsUtf8 } from '../../chunks/as-utf8.ts';
import { plainTextIn, type TextFormat } from '../../chunks/large.ts';
import { surveyText } from '../../chunks/pass-one.ts';
import { type Plain, storedPlain } from '../../chunks/plain.ts';
import type { Chunk, FilePlan } from '../../chunks/plan.ts';
import { type Packed, showPacked, storedBytes } from '../../chunks/show-packed.ts';
import { notHashed } from '../../chunks/text-hash.ts';
import { unpackText } from '../../chunks/unpack.ts';
import { compressionOfName } from '../../formats/compression/kinds.ts';
import type { DetectedEncoding } from '../../formats/encoding/detect.ts';
import type { ReadOptions } from '../../options.ts';
import type { ReadLimits } from '../../reading/types.ts';
import type { Rows, TextColumn } from '../../typing/relation.ts';
import { freshFolder } from '../../stages/place.ts';
import type { ListedFile } from '../file-list.ts';
import { withoutTypes } from '../in-file.ts';

export interface SurveyedFile {
  readonly name: string;
  readonly text: Pick<FilePlan, 'plain' | 'csv' | 'json'>;
  readonly columns: readonly TextColumn[];
  readonly chunks: readonly Chunk[];
  readonly rows: number;
  /** Records that are left out. */
  readonly bad: Readonly<Record<string, number>>;
  readonly warnings: readonly Warning[];
  /** What is said of the archive that it is in. */
  readonly ofArchive: readonly Warning[];
  readonly sample: Rows;
  readonly sampleIsAll: boolean;
  /** It quotes every field, so that an empty one is NULL. */
  readonly emptyIsNull: boolean;
  /** Of CSV: fields of it are empty and in quotes. */
  readonly hasEmptyQuoted: boolean;
}

export interface Surveying {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  readonly options: ReadOptions;
  /** Of this file. */
  readonly step: StageContext['step'];
  readonly progress: StageContext['progress'];
  /** The keys of what is written out. */
  readonly keyOf: (what: 'text' | 'utf8', piece: number) => string;
  /** An existing folder: the sample remains in it. */
  readonly workDir: string;
}

/** The text of a file, in whatever encoding; JSON. */
interface Opened {
  readonly plain: Plain;
  readonly format: TextFormat;
  readonly encoding: DetectedEncoding;
  /** Of the archive that it is in. */
  readonly warnings: readonly Warning[];
}

/** Undefined where it is not the text of one table. */
async function open(
  ctx: StageContext,
  surveying: Surveying,
  { name, key, bytes }: ListedFile,
): Promise<Opened | undefined> {
  const file = { objectKey: key, size: bytes };
  if (compressionOfName(name).compression !== 'none') return unpacked(ctx, surveying, { name, file });
  const found = await plainTextIn(ctx, { ...surveying, file, name });
  return found?.holds === 'a table' ? { ...found, plain: storedPlain(file), warnings: [] } : undefined;
}

const unpacked = (
  ctx: StageContext,
  { objects, limits, options, step, keyOf }: Surveying,
  { name, file }: Pick<Packed, 'name' | 'file'>,
): Promise<Opened | undefined> =>
  step('unpacked text', async () => {
    const packed = { objects, limits, options, name, file };
    const shown = await showPacked(ctx, packed);
    if (shown?.holds !== 'a table') return undefined;
    const { format, encoding, warnings } = shown;
    const workDir = await freshFolder(ctx, 'pieces');
    const unpacking = { objects, pieceBytes: limits.chunkBytes, leastBytes: 0, workDir, signal: ctx.signal };
    const plain = await unpackText(shown.text(storedBytes(packed)), {
      ...unpacking,
      keyOf: (piece) => keyOf('text', piece),
    });
    return plain && { plain, format, encoding, warnings };
  });

/** Undefined where it is not the text of one table. Faults: those of `readTable` that concern the text. */
export async function surveyFile(
  ctx: StageContext,
  surveying: Surveying,
  listed: ListedFile,
): Promise<SurveyedFile | undefined> {
  const { objects, limits, options, step } = surveying;
  const opened = await open(ctx, surveying, listed);
  if (opened === undefined) return undefined;
  const { plain, format, encoding, warnings: ofArchive } = opened;
  if (plain.size <= encoding.bomBytes) throw new Fault('EMPTY_FILE', 'The file holds no text.');
  const keys = async () => (piece: number) => surveying.keyOf('utf8', piece);
  const text = { objects, limits, options, plain, encoding, step, keys, hash: notHashed };
  const read = await readAsUtf8(ctx, text, (utf8, itsStep) =>
    surveyPlain(ctx, surveying, { plain: utf8, format, step: itsStep }),
  );
  return { ...read.value, name: listed.name, ofArchive, warnings: [...read.warnings, ...read.value.warnings] };
}

interface PlainText {
  readonly plain: Plain;
  readonly format: TextFormat;
  readonly step: StageContext['step'];
}

/** What the survey leaves of the last chunk. */
const leftovers = ['chunk', 'head'];

async function surveyPlain(
  { signal }: StageContext,
  { objects, limits, options, progress, workDir }: Surveying,
  { plain, format, step }: PlainText,
): Promise<Omit<SurveyedFile, 'name' | 'ofArchive'>> {
  const pass = { objects, plain, signal, ctx: { step, progress }, limits, workDir, hash: notHashed };
  const shape = await surveyText({ ...pass, options: withoutTypes(options) }, format);
  const { columns, sampleIsAll, emptyIsNull } = shape.table;
  const sample = await shape.sample();
  // There may be hundreds of files.
  await Promise.all(leftovers.map((file) => rm(join(workDir, file), { force: true })));
  return {
    ...{ text: { plain, ...shape.layout }, columns, chunks: shape.whole.chunks, rows: shape.rows, bad: shape.bad },
    ...{ warnings: shape.warnings, sample, sampleIsAll, emptyIsNull },
    hasEmptyQuoted: (shape.whole.last.csv?.tally.emptyQuoted ?? 0) > 0,
  };
}
