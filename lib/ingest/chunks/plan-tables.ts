// The tables of a large text in UTF-8, each with a plan of its own: it is one, or the arrays of a JSON text are, which are found first.
import { must } from '../../core/check.ts';
import type { StageContext } from '../../pipeline/stage.ts';
import type { Section } from '../json/sections.ts';
import { tablesOfSections } from '../reading/name-tables.ts';
import type { ReceivedTable } from '../stages/outputs.ts';
import { freshFolder } from '../stages/place.ts';
import { type Arrays, findArrays } from './find-arrays.ts';
import type { Holds, TextFormat } from './large.ts';
import { LEFT, type Plain } from './plain.ts';
import { receiveLarge } from './receive-large.ts';
import type { Found, Receiving } from './receiving.ts';

/** What is known of the tables of a text before it is read; JSON. */
export interface Tables {
  readonly format: TextFormat;
  readonly holds: Holds;
  /** What its table is called, or the names of several begin with. */
  readonly named: string;
  /** Drawn before the text is read; absent where there may be several. */
  readonly table?: ReceivedTable | undefined;
}

interface Planning extends Receiving, Tables {
  readonly plain: Plain;
  readonly step: StageContext['step'];
}

export interface Planned {
  /** Their keys, in the order of the tables. */
  readonly plans: string[];
  readonly tables: ReceivedTable[];
  /** Of the text. */
  readonly sha256: string;
  readonly warnings: Found['warnings'];
}

/** Faults: those of `planText`, `findArrays` and `tablesOfSections`. */
export async function planTables(ctx: StageContext, planning: Planning): Promise<Planned> {
  const { plain, holds, table } = planning;
  const workDir = await freshFolder(ctx, LEFT);
  // What an earlier release unpacked is one table.
  if (table !== undefined && holds !== 'a path') {
    const { plan, sha256 } = await receiveLarge(ctx, plain, { ...planning, table, workDir });
    return { plans: [plan], tables: [table], sha256, warnings: [] };
  }
  const { objects, limits, options, step } = planning;
  const progress: StageContext['progress'] = (done, total, note) => ctx.progress(done, total, note);
  const finding = { objects, plain, limits, workDir, path: options.jsonPath, ctx: { step, progress } };
  const arrays = await findArrays({ ...finding, signal: ctx.signal });
  const { found, warnings } = await drawn(planning, arrays);
  const plans: string[] = [];
  for (const [index, { table: each, section }] of found.entries()) {
    const ofTable: StageContext['step'] = (name, work) => step(`table ${index} ${name}`, work);
    const reading = { ...planning, table: each, workDir, step: ofTable };
    plans.push((await receiveLarge(ctx, { ...plain, within: arrays.stretchOf(section) }, reading)).plan);
  }
  return { plans, tables: found.map((each) => each.table), sha256: arrays.sha256, warnings };
}

interface FoundTable {
  readonly table: ReceivedTable;
  readonly section: Section;
}

/** The tables that the arrays are, each with its sequence. */
async function drawn({ plain, table, named, take, step }: Planning, { section, sections }: Arrays) {
  if (table !== undefined && section !== undefined)
    return { found: [{ table: { ...table, within: section }, section }], warnings: [] };
  const listed = tablesOfSections(sections, named, plain.start);
  const found: FoundTable[] = [];
  for (const [index, each] of sections.tables.entries()) {
    const asked = must(listed.tables[index], 'a table');
    found.push({ table: await step(`table ${index}`, () => take(asked)), section: each });
  }
  return { found, warnings: [...listed.warnings] };
}
