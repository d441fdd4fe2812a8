// Rows counted in pieces come to the same plan and the same warnings as rows counted at once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Engine, withEngine } from '../../../../lib/ingest/engine/engine.ts';
import { defaultReadLimits } from '../../../../lib/ingest/reading/types.ts';
import { countValues } from '../../../../lib/ingest/typing/count-values.ts';
import { addCounts, type Counts, noCounts } from '../../../../lib/ingest/typing/counts.ts';
import { factsOf } from '../../../../lib/ingest/typing/facts.ts';
import { type Counter, firstPlan, looksAt, looksBy, replan } from '../../../../lib/ingest/typing/plan-table.ts';
import { questionsOf } from '../../../../lib/ingest/typing/questions.ts';
import { csvRelation, type Rows, type TextTable } from '../../../../lib/ingest/typing/relation.ts';
import { addAnswers, answerQuestions, warningsOf } from '../../../../lib/ingest/typing/report.ts';
import { macros } from '../../../../lib/ingest/typing/rungs.ts';
import { writeTyped } from '../../../../lib/ingest/typing/write.ts';
import { inFolder } from '../world.ts';

const families = [
  ['0', '1', '-7', '9007199254740993', '12345678901234567'],
  ['0.10', '1.5', '.5', '-0', '3'],
  ['1e5', '2.5e-07', '1', '9007199254740993', '1e400', '0.1'],
  ['007', '+1', ' 1', '1', '2'],
  ['2024-01-02T10:00:00', '2024-01-02T10:00:00.5', '2024-01-02 10:00', '2024-01-02T10:00:00Z'],
  ['2024-01-02T10:00:00+02:00', '2024-01-02T10:00:00Z', '2024-01-02T10:00:00+00:00'],
  ['2024-01-02', '2023-02-30', '0001-01-01'],
  ['01/02/2024', '13/02/2024', '1/2/2024', '01.02.2024', '02/13/2024', '01/02/24', '1/2/900'],
  ['true', 'false', 'TRUE', 'True'],
  ['abc', 'é', '', '12', '1.5'],
  ['', '1', '2', '3'],
];

const column = fc.tuple(fc.constantFrom(...families), fc.constantFrom(...families)).chain(([most, some]) =>
  fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...most) },
      { weight: 1, arbitrary: fc.constantFrom(...some) },
      {
        weight: 1,
        arbitrary: fc.constant(null),
      },
    ),
    { minLength: 1, maxLength: 30 },
  ),
);

const ROWS = 12;
const tables = fc.record({
  columns: fc.array(column, { minLength: 1, maxLength: 5 }),
  pieces: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 }),
  sampled: fc.integer({ min: 1, max: ROWS }),
  emptyIsNull: fc.boolean(),
});

type Cell = string | null;
const lineOf = (row: readonly Cell[]): string =>
  `${row.map((cell) => (cell === null ? '' : `"${cell.replaceAll('"', '""')}"`)).join(',')}\n`;

async function relationOf(path: string, rows: readonly (readonly Cell[])[], columns: number): Promise<Rows> {
  await writeFile(path, rows.map(lineOf).join(''));
  const shape = { delimiter: ',', header: 'no header', newline: 'lf', quotedNewlines: 'lines' } as const;
  return [{ from: csvRelation({ ...shape, path, columns, longestRecord: 100 }), first: 0, columns }];
}

async function countAll(engine: Engine, from: Rows, columns: number): Promise<Counts[]> {
  const counts = await countValues(engine, from, [...Array(columns).keys()]);
  return [...Array(columns).keys()].map((index) => counts.get(index) ?? noCounts);
}

it('any table counted in any pieces has the facts, the types and the warnings of the whole', async () => {
  await inFolder((folder) =>
    withEngine({ workDir: folder, limits: defaultReadLimits }, async (engine) => {
      await engine.run(macros);
      let run = 0;
      await fc.assert(
        fc.asyncProperty(tables, async ({ columns, pieces, sampled, emptyIsNull }) => {
          const name = (what: string) => join(folder, `${what}-${++run}`);
          const rows = Array.from({ length: ROWS }, (_, row) =>
            columns.map((cells) => cells[row % cells.length] ?? null),
          );
          const width = columns.length;
          const table: TextTable = {
            all: await relationOf(name('all'), rows, width),
            sample: await relationOf(name('sample'), rows.slice(0, sampled), width),
            sampleIsAll: sampled === ROWS,
            columns: columns.map((_, index) => ({ name: `n${index}`, family: 'any' })),
            rows: ROWS,
            bytes: 1000,
            emptyIsNull,
          };
          // As one piece: by proof in the write.
          const looks = looksAt(engine, table);
          let plan = await firstPlan(table, looks);
          const target = name('whole.parquet');
          const first = await writeTyped(engine, table, plan.rungs, target);
          if (first.kind === 'contradicted') {
            plan = await replan(table, looks, plan);
            expect(await writeTyped(engine, table, plan.rungs, target)).toMatchObject({ kind: 'written', rows: ROWS });
          }
          const questions = questionsOf(table, plan);
          const answers = await answerQuestions(engine, table, { questions, rungs: plan.rungs, written: target });

          // In pieces: by counts.
          const cuts: number[] = [0];
          for (let at = 0; at < ROWS; )
            cuts.push((at = Math.min(ROWS, at + (pieces[cuts.length % pieces.length] ?? 1))));
          const stretches = cuts.slice(1).map((end, place) => rows.slice(cuts[place], end));
          const parts = await Promise.all(stretches.map((part) => relationOf(name('part'), part, width)));
          let all: Counts[] = Array.from({ length: width }, () => noCounts);
          for (const part of parts) {
            const counts = await countAll(engine, part, width);
            all = all.map((one, index) => addCounts(one, counts[index] ?? noCounts));
          }
          const whole = await countAll(engine, table.all, width);
          const empty = emptyIsNull ? 'NULL' : 'text';
          expect(all.map((counts) => factsOf(counts, empty))).toEqual(whole.map((counts) => factsOf(counts, empty)));
          const sample = await countAll(engine, table.sample, width);
          const counter =
            (counts: readonly Counts[]): Counter =>
            async () =>
              new Map(counts.entries());
          const looked = looksBy(table, { sample: counter(sample), all: counter(all) });
          const planned = await firstPlan(table, looked);
          const proven = await replan(table, looked, planned);
          const again = proven.promised.size > 0 ? proven : planned;
          expect(again.rungs.map(({ type }) => type)).toEqual(plan.rungs.map(({ type }) => type));
          const asked = questionsOf(table, again);
          const plainly = (some: typeof asked) =>
            some.map(({ rung, ...question }) => ({ ...question, type: rung?.type }));
          expect(plainly(asked)).toEqual(plainly(questions));
          let sum = asked.map((): { count: number } => ({ count: 0 }));
          let before = 0;
          for (const [place, part] of parts.entries()) {
            const own = { ...table, all: part, rows: stretches[place]?.length ?? 0 };
            const written = name('part.parquet');
            await writeTyped(engine, own, again.rungs, written);
            const some = await answerQuestions(engine, own, { questions: asked, rungs: again.rungs, written });
            sum = sum.map((one, index) => addAnswers(one, some[index] ?? { count: 0 }, before));
            before += own.rows;
          }
          expect(warningsOf(table.columns, asked, sum)).toEqual(warningsOf(table.columns, questions, answers));
        }),
        { numRuns: 10 },
      );
    }),
  );
}, 120_000);
