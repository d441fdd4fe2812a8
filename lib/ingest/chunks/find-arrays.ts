// Where the arrays that are tables stand in a large JSON text: one walk through it, chunk by chunk, each a step of the job with what the next
// goes on with. Nothing of a chunk is kept but that.
import { join } from 'node:path';
import type { StageContext } from '../../pipeline/stage.ts';
import { bytesAt } from '../formats/head.ts';
import { type Followed, pathWalker, sectionAt } from '../json/at-path.ts';
import { noSections, type Section, type Sections, sectionsWalker } from '../json/sections.ts';
import { atStart, type Standing, type Walker } from '../json/walk.ts';
import { walkThrough } from '../json/walk-through.ts';
import type { ReadLimits } from '../reading/types.ts';
import { beginFetch } from './arriving.ts';
import { mostBytes } from './chunk-bytes.ts';
import { linesAt, type LinesAt } from './lines-at.ts';
import type { Fetching, Plain, Stretch } from './plain.ts';
import { hashUpTo } from './survey.ts';
import { hashFor, type TextHash } from './text-hash.ts';

export interface Finding extends Fetching {
  readonly ctx: Pick<StageContext, 'step' | 'progress'>;
  readonly limits: ReadLimits;
  readonly workDir: string;
  /** To the one array; those below the keys of the object where it is absent. */
  readonly path: string | undefined;
}

/** A chunk, and what is known of the text up to its end; JSON. */
interface Walked extends Stretch {
  readonly at: Standing;
  readonly sections: Sections;
  readonly followed: Followed;
  /** Of the keys of the object, those that were met in it, as they are remembered. */
  readonly keys: readonly string[];
  /** Line ends up to its end, and before each array that may be a table. */
  readonly lines: number;
  readonly arrays: LinesAt;
  /** As of a chunk that is surveyed. */
  readonly blocks: readonly string[];
}

/** Of one call. */
interface Walking extends Finding {
  readonly hash: TextHash;
  /** All that were met so far. */
  readonly keys: Set<string>;
}

/** What a chunk goes on with. */
type Place = Omit<Walked, keyof Stretch | 'keys' | 'blocks'> & Pick<Stretch, 'end'>;

const begin = (): Place => ({
  ...{ end: 0, at: atStart(), sections: noSections(), followed: { met: 0 }, lines: 0, arrays: [] },
});

async function walkChunk(walking: Walking, before: Place): Promise<Walked> {
  const { plain, limits } = walking;
  const start = before.end;
  await hashUpTo(walking, start);
  // A value may be longer than a chunk; one that is too long is refused while it is read.
  for (let bytes = mostBytes(plain, limits); ; bytes = 2 * bytes) {
    const walked = await walkLocal(walking, before, { start, end: Math.min(plain.size, start + bytes) });
    if (walked !== undefined) return walked;
  }
}

/** Undefined where the stretch holds no whole value. */
async function walkLocal(walking: Walking, before: Place, stretch: Stretch): Promise<Walked | undefined> {
  const { plain, hash, workDir, signal, limits } = walking;
  const { start } = stretch;
  const path = join(workDir, 'chunk');
  const goesOn = stretch.end < plain.size;
  await using arriving = await beginFetch(walking, stretch, path);
  const lines = linesAt(before.lines);
  const consumed = (bytes: Buffer, offset: number): void => {
    lines.add(bytes, start + offset);
    hash.add(bytes, start + offset);
  };
  const skipped = start === 0 ? plain.start : 0;
  await arriving.upTo(skipped);
  consumed(await bytesAt(path, 0, skipped), 0);
  const base = { offset: start, lines: before.lines, records: 0 };
  const { maxRecordBytes } = limits;
  const source = { path, start: skipped, maxRecordBytes, signal, base, arrived: arriving.upTo, consumed, goesOn };
  const { at, sections, followed } = structuredClone(before);
  const keys: string[] = [];
  const walker = walkerOf(walking, { sections, followed }, (key) => keys.push(key));
  const left = await walkThrough(source, { ...walker, begun: lines.await(walker.begun) }, at);
  if (left === skipped && goesOn) return undefined;
  const walked = { start, end: start + left, at, sections, followed, keys, lines: lines.behind() };
  const arrays = lines.found(before.arrays).filter(([place]) => mayBeTable(walked, place));
  return { ...walked, arrays, blocks: hash.blocksIn(walked) };
}

/** Whether the array that begins at a place is one, or is not behind yet. */
function mayBeTable({ at, sections, followed }: Pick<Walked, 'at' | 'sections' | 'followed'>, place: number): boolean {
  const open = at.open.find(({ way }) => way === 'list');
  return [...sections.tables, followed.section, open].some((array) => array?.start === place);
}

function walkerOf(
  { path, keys }: Walking,
  { sections, followed }: Pick<Walked, 'sections' | 'followed'>,
  remember: (key: string) => void,
): Walker {
  return path === undefined ? sectionsWalker(sections, keys, remember) : pathWalker(path, followed);
}

/** What was found in the whole text. */
export interface Arrays {
  readonly sections: Sections;
  /** Of a path. */
  readonly section: Section | undefined;
  readonly stretchOf: (section: Section) => NonNullable<Plain['within']>;
  readonly sha256: string;
}

/** Faults: those of `findSections` and `findAtPath`. */
export async function findArrays(finding: Finding): Promise<Arrays> {
  const { ctx, plain, limits, signal, path } = finding;
  const walking = { ...finding, hash: hashFor(plain.size, limits), keys: new Set<string>() };
  let last = begin();
  for (let place = 0; last.end < plain.size; place++) {
    signal.throwIfAborted();
    const before = last;
    const walked = await ctx.step(`find ${place}`, () => walkChunk(walking, before));
    walking.hash.keep(walked.blocks, walked.end);
    for (const key of walked.keys) walking.keys.add(key);
    last = walked;
    ctx.progress(last.end, plain.size, 'find');
  }
  await hashUpTo(walking, plain.size);
  const lines = new Map(last.arrays);
  return {
    sections: last.sections,
    section: path === undefined ? undefined : sectionAt(path, last.followed),
    stretchOf: ({ start, end }) => ({ start, end, lines: lines.get(start) ?? 0 }),
    sha256: walking.hash.end(),
  };
}
