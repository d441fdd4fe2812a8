// Detectors of a workspace's own: a pattern that RE2 runs, names of columns, or both.
import * as z from 'zod';
import type { Engine } from '../engine/engine.ts';
import { listOf, literal } from '../engine/sql.ts';
import { hintsAt, namedBy, wordsOf } from './hints.ts';
import { patternProblem } from './pattern.ts';

export const detectorName = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,39}$/, 'It is capitals, digits and _, a letter first, at most 40.');

export const detectorSchema = z.lazy(() =>
  z
    .strictObject({
      pattern: z
        .string()
        .min(1)
        .superRefine((pattern, ctx) => {
          const problem = patternProblem(pattern);
          if (problem !== undefined) ctx.addIssue({ code: 'custom', message: problem });
        })
        .optional()
        .meta({ description: 'A regular expression in a part of the syntax of RE2, of a value as a whole.' }),
      columnHints: z
        .array(z.string().min(1).max(60))
        .max(20)
        .optional()
        .meta({ description: 'Names of columns, as words; without a pattern they are enough for the tag.' }),
      threshold: z
        .number()
        .min(0.01)
        .max(1)
        .optional()
        .meta({ description: 'The share of values that makes a tag; 0.5 unless given.' }),
    })
    .refine(({ pattern, columnHints = [] }) => pattern !== undefined || columnHints.length > 0, {
      error: 'It needs a pattern, names of columns, or both.',
    }),
);
export type CustomDetector = z.infer<typeof detectorSchema> & { readonly name: string };

/** The most detectors of a workspace. */
export const MOST_DETECTORS = 50;

export const customTag = (name: string): string => `CUSTOM:${name}`;

export const isHinted = ({ columnHints = [] }: CustomDetector, column: string): boolean =>
  hintsAt({ tag: '', hints: columnHints.map((hint) => wordsOf(hint).join(' ')) }, namedBy(column, ''));

/** Which values a pattern matches as a whole. Throws what DuckDB throws at a pattern that RE2 finds too large. */
export async function matched(engine: Engine, pattern: string, values: readonly string[]): Promise<boolean[]> {
  if (values.length === 0) return [];
  const [row] = await engine.texts(
    `SELECT to_json(list_transform(${listOf(values)}, lambda x: regexp_full_match(x, ${literal(pattern)})))::VARCHAR`,
  );
  return JSON.parse(row?.[0] ?? '[]') as boolean[];
}
