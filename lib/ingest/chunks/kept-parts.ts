// Parts of a table that are written once, whoever writes them: what is written of a chunk is kept under the plan's name, for every run.
import { must } from '../../core/check.ts';
import type { Objects } from '../../core/objects.ts';
import type { ReadLimits } from '../reading/types.ts';
import { atHand, sideBySide, whileAtHand } from './side-by-side.ts';
import { type WrittenPart, writtenPart } from './written-part.ts';

export interface Keeping {
  readonly objects: Objects;
  readonly limits: ReadLimits;
  /** The key below which the plan's parts are kept. */
  readonly kept: string;
  readonly signal: AbortSignal;
}

/** The place of a chunk in names. */
export const numbered = (place: number): string => String(place).padStart(5, '0');

/** Of one attempt, what the first plan wrote may stand beside what the proven one writes. */
export const partName = (place: number, { proven = false }: { readonly proven?: boolean | undefined }): string =>
  `${proven ? 'proven' : 'part'}-${numbered(place)}.parquet`;

/** What was kept of a chunk, by whichever run. */
async function readKept({ objects, kept }: Keeping, place: number): Promise<WrittenPart | undefined> {
  const bytes = await objects.get(`${kept}/${numbered(place)}.json`);
  return bytes && writtenPart.parse(JSON.parse(Buffer.from(bytes).toString()));
}

type Write<P> = (pass: P, place: number) => Promise<WrittenPart>;

/** The part of a chunk, written unless it is there. The first to be kept counts, for every run. */
async function keptPart<P extends Keeping>(pass: P, place: number, write: Write<P>): Promise<WrittenPart> {
  const known = await readKept(pass, place);
  if (known !== undefined) return known;
  const written = await write(pass, place);
  const key = `${pass.kept}/${numbered(place)}.json`;
  if ((await pass.objects.putOnce(key, JSON.stringify(written))) === 'written') return written;
  return must(await readKept(pass, place), 'what was kept');
}

/** A value does not fit the type that the plan gives its column. */
export class Contradiction extends Error {
  readonly column: number;

  constructor(column: number) {
    super(`column ${column + 1} holds what the plan did not foresee`);
    this.column = column;
  }
}

export type PartsWritten =
  | { readonly kind: 'written'; readonly parts: readonly WrittenPart[] }
  | { readonly kind: 'contradicted'; readonly column: number };

/** Writes the parts of some chunks, in their order, until `write` throws a Contradiction. `each` is told of every part that is there. */
export async function keepParts<P extends Keeping>(
  pass: P,
  places: readonly number[],
  write: Write<P>,
  each: (part: WrittenPart, place: number) => void = () => undefined,
): Promise<PartsWritten> {
  try {
    const turns = { atOnce: atHand(pass.limits), signal: pass.signal };
    const parts = await sideBySide(places, turns, async (place, signal) => {
      const part = await whileAtHand(pass.limits, () => keptPart({ ...pass, signal }, place, write));
      each(part, place);
      return part;
    });
    return { kind: 'written', parts };
  } catch (thrown) {
    if (thrown instanceof Contradiction) return { kind: 'contradicted', column: thrown.column };
    throw thrown;
  }
}
