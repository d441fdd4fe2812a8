// The shapes that the texts of a column have: `AB12-345` is `AA99-999`, `Kari Nordmann` is `Aa+ Aa+`. Shapes of all values where these are
// counted one by one, else of a sample of rows.
import type { Engine } from '../engine/engine.ts';
import type { Batch } from '../look/batch.ts';
import type { Column, ColumnPatterns } from '../reading/types.ts';

const SHAPE_CHARACTERS = 64;
const TOP_PATTERNS = 5;
/** A shape that fewer values have says nothing of a column. */
const LEAST_SHARE = 0.01;

export const hasPatterns = ({ type }: Pick<Column, 'type'>): boolean => type === 'VARCHAR';

/** SQL of as much of a text as its shape is of, and a character more where there are more. */
export const startOf = (text: string): string =>
  `CASE WHEN strlen(${text}) > ${SHAPE_CHARACTERS} THEN left(${text}, ${SHAPE_CHARACTERS + 1}) ELSE ${text} END`;

/** What a character stands for; small letters are those without case too, and the marks on letters. */
function classOf(character: string): '9' | 'A' | 'a' | undefined {
  const code = character.charCodeAt(0);
  if (code < 128) {
    if (code >= 97 && code <= 122) return 'a';
    if (code >= 48 && code <= 57) return '9';
    return code >= 65 && code <= 90 ? 'A' : undefined;
  }
  if (/\p{Nd}/u.test(character)) return '9';
  if (/\p{Lu}/u.test(character)) return 'A';
  return /[\p{L}\p{M}]/u.test(character) ? 'a' : undefined;
}

const [DIGIT, CAPITAL, SMALL, PLUS] = [57, 65, 97, 43];
/** What a character of ASCII stands for: its own code where it stays. */
const asciiClasses = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return SMALL;
  if (code >= 48 && code <= 57) return DIGIT;
  return code >= 65 && code <= 90 ? CAPITAL : code;
});
const shapeBytes = Buffer.alloc(SHAPE_CHARACTERS);

/** Undefined where the text has other characters. A sample has hundreds of thousands of texts: nothing is made but the shape. */
function asciiShapeOf(text: string): string | undefined {
  const length = Math.min(text.length, SHAPE_CHARACTERS);
  let [small, at] = [0, 0];
  for (let index = 0; index < length; index++) {
    const stands = asciiClasses[text.charCodeAt(index)];
    if (stands === undefined) return undefined;
    small = stands === SMALL ? small + 1 : 0;
    if (small <= 2) shapeBytes[at++] = small === 2 ? PLUS : stands;
  }
  const shape = shapeBytes.toString('latin1', 0, at);
  return text.length > SHAPE_CHARACTERS ? `${shape}…` : shape;
}

/**
 * The shape of a text: a digit is 9, a capital A, a small letter a, several of them in a row a+; other characters stay. At most 64 characters of
 * the text are looked at; `…` follows where there are more.
 */
export const shapeOf = (text: string): string => asciiShapeOf(text) ?? anyShapeOf(text);

function anyShapeOf(text: string): string {
  // Joined at the end: a text made longer one character at a time takes a hundred times its length of memory.
  const shape: string[] = [];
  let [small, seen] = [0, 0];
  for (const character of text) {
    if (seen === SHAPE_CHARACTERS) return `${shape.join('')}…`;
    seen += 1;
    const stands = classOf(character);
    small = stands === 'a' ? small + 1 : 0;
    if (small <= 1) shape.push(stands ?? character);
    else if (small === 2) shape.push('+');
  }
  return shape.join('');
}

/** Texts, each with how often it is there. */
export interface CountedTexts {
  readonly texts: readonly string[];
  readonly times: (place: number) => number;
}

/** The common shapes, most frequent first, equals in their order; nothing where none is. */
export function patternsOf({ texts, times }: CountedTexts): ColumnPatterns {
  const counts = new Map<string, number>();
  let values = 0;
  for (const [place, text] of texts.entries()) {
    const shape = shapeOf(text);
    counts.set(shape, (counts.get(shape) ?? 0) + times(place));
    values += times(place);
  }
  const patterns = [...counts]
    .filter(([, count]) => count >= LEAST_SHARE * values)
    .toSorted(([one, count], [other, more]) => more - count || Buffer.compare(Buffer.from(one), Buffer.from(other)))
    .slice(0, TOP_PATTERNS)
    .map(([pattern, count]) => ({ pattern, share: count / values }));
  return patterns.length === 0 ? {} : { patterns };
}

/** Of texts in a sample of so many rows. */
export async function samplePatterns(engine: Engine, { from, values }: Batch, rows: number): Promise<ColumnPatterns[]> {
  const found: ColumnPatterns[] = [];
  for (const value of values) {
    const asked = `SELECT to_json(list(${startOf(value)}) FILTER (${value} IS NOT NULL))::VARCHAR FROM ${from}`;
    const [[list] = []] = await engine.texts(asked);
    found.push({ ...patternsOf({ texts: JSON.parse(list ?? '[]') as string[], times: () => 1 }), sampled: rows });
  }
  return found;
}
