import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import { readFrom } from '../derive/derivation.ts';
import type { DescribeDeps } from '../describe/deps.ts';
import type { Describer } from '../describe/facts.ts';
import type { TableDescribed } from '../describe/describe-table.ts';
import type { KnownTable } from '../describe/table-facts.ts';
import type { NoAnswer } from '../describe/model-describer.ts';
import type { Looked } from '../look/request.ts';
import { NONE } from '../pii/tags.ts';
import { warn } from '../warnings.ts';
import { tablesAfterReconcile } from './contents.ts';
import { optionalStage } from './optional.ts';
import {
  type DescribedOutput,
  described,
  profiled,
  type ProfiledTable,
  type TaggedTable,
  tagged,
} from './optional-outputs.ts';
import { type ParsedTable, received } from './outputs.ts';
import { lookedAt } from './scans.ts';

/** Says what the tables just read and their columns mean: by rules, and by a model where one is configured and has money left. */
export const createDescribe = ({ documents, objects, limits, describer }: DescribeDeps) =>
  optionalStage({
    ...described,
    run: async (ctx, _before: unknown) => {
      const { dataset, tables: named, source, derivation } = await ctx.outputOf(received);
      const from = readFrom({ source, derivation: derivation?.made });
      const read = await tablesAfterReconcile(ctx);
      const { tables: profiles } = await ctx.outputOf(profiled);
      const { tables: tags } = await ctx.outputOf(tagged);
      const { describingIn, passAfter } = await import('../describe/describing.ts');
      const describing = describingIn(ctx, documents, dataset, describer);
      const tables: DescribedOutput[] = [];
      let why: NoAnswer | undefined;
      for (const [index, { table, tableName }] of named.entries()) {
        const own = must(read[index], 'a table that was read');
        const known = knownTable({ name: tableName, source: from }, own, profiles[index], tags[index]);
        const texts = () => lookedAt(ctx, { objects, limits }, { ...own, index }, 'texts');
        const made = await describeOne(ctx, known, { texts, describer: describing.of(table) });
        tables.push(outputOf(made));
        why ??= made.why;
        ctx.progress(index + 1, named.length, 'describe');
      }
      const after = await passAfter(ctx, documents, { family: 'describe-pass', group: dataset }, { why, by: 'other' });
      return { tables, ...(after !== undefined && { passAfter: after }) };
    },
  });

interface Describing {
  readonly texts: () => Promise<Looked['texts']>;
  readonly describer: Describer | undefined;
}

async function describeOne(
  ctx: StageContext,
  known: KnownTable,
  { texts, describer }: Describing,
): Promise<TableDescribed> {
  // Loaded when it is needed, as in the stages before.
  const [{ readSemantics }, { tableFacts }, { describeTable }] = await Promise.all([
    import('../describe/read-semantics.ts'),
    import('../describe/table-facts.ts'),
    import('../describe/describe-table.ts'),
  ]);
  const semantics = await readSemantics(known.columns, known.rows, texts);
  return describeTable(tableFacts(known, semantics), describer, { signal: ctx.signal });
}

function knownTable(
  named: Pick<KnownTable, 'name' | 'source'>,
  read: ParsedTable,
  profile: ProfiledTable | undefined,
  tags: TaggedTable | undefined,
): KnownTable {
  const profiles = new Map((profile?.columns ?? []).map((each) => [each.name, each]));
  const personal = new Set((tags?.columns ?? []).filter(({ tag }) => tag !== NONE).map(({ name }) => name));
  const columns = read.columns.map((column) => {
    const measured = profiles.get(column.name);
    const known = measured && { ...measured, distinctIsExact: measured.distinctIs === 'exact' };
    return { ...column, profile: known, tagged: personal.has(column.name) };
  });
  return { ...named, rows: read.rowCount, columns };
}

/** Reasons for a caller to read. */
const reasons: Readonly<Record<NoAnswer, string>> = {
  run: 'The budget of one run is used up; a pass goes on.',
  month: 'The budget of the month is used up; a pass goes on.',
  silent: 'The model did not answer; a pass asks it again.',
  refused: 'The service refused the question.',
  unfit: 'The answer did not fit its schema, twice.',
};

const outputOf = ({ table, columns, left, why }: TableDescribed): DescribedOutput => ({
  description: { text: table.text, source: table.by },
  synonyms: [...table.synonyms],
  columns: columns.map(({ name, text, by, synonyms, semantic }) => ({
    name,
    description: { text, source: by },
    synonyms: [...synonyms],
    semantic,
  })),
  warnings: why === undefined ? [] : [warn('DESCRIBED_BY_RULE', { count: left.length, detail: reasons[why] })],
});
