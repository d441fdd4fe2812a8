// Everything that can be set, and every limit, as a page: from the schemas that read it.
import * as z from 'zod';
import { settingsSchema } from '../../infra/settings.ts';
import { environments, variables } from '../../lib/config/environment.ts';
import { toolVariables } from '../../lib/config/tools.ts';
import { codeLimits } from './limits.ts';

interface Described {
  readonly description?: string;
  readonly unit?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
}

/** Of the widest range of numbers that JSON keeps. */
const isBound = (number: number | undefined): number is number =>
  number !== undefined && Math.abs(number) < Number.MAX_SAFE_INTEGER;

const grouped = (number: number): string => number.toLocaleString('en-US');

function bounds({ minimum, maximum, enum: words, pattern }: Described): string {
  if (words !== undefined) return words.map((word) => `\`${String(word)}\``).join(', ');
  const [least, most] = [isBound(minimum) && grouped(minimum), isBound(maximum) && grouped(maximum)];
  if (least !== false && most !== false) return `${least} to ${most}`;
  if (least !== false) return `at least ${least}`;
  return pattern === undefined ? '' : `\`${pattern.replaceAll('|', '\\|')}\``;
}

const shown = (value: unknown): string =>
  value === undefined
    ? 'none'
    : typeof value === 'number'
      ? grouped(value)
      : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

const describe = (schema: z.ZodType): Described => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });

const row = (...cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const flags = (): string[] =>
  Object.entries(settingsSchema.shape).map(([name, schema]) => {
    const { description = '', unit = '', ...known } = describe(schema);
    const given: z.ZodType = schema;
    const { data } = given.safeParse(undefined);
    return row(`\`${name}\``, shown(data), unit, bounds(known), description);
  });

const functionVariables = (): string[] =>
  Object.entries(variables).map(([name, schema]) => {
    const readers = Object.entries(environments).filter(([, read]) => (read as readonly string[]).includes(name));
    const { description = '', unit = '' } = describe(schema);
    return row(`\`${name}\``, readers.map(([reader]) => `\`${reader}\``).join(', '), unit, description);
  });

const tools = (): string[] =>
  Object.entries(toolVariables).map(([name, { description, readBy, default: given = 'none' }]) =>
    row(`\`${name}\``, given === 'none' ? given : `\`${given}\``, readBy, description),
  );

const limits = (): string[] =>
  codeLimits.map(({ what, value, unit, code, set }) => row(what, grouped(value), unit, `\`${code}\``, set));

export const renderConfiguration = (): string => `# Configuration

What can be set, by whom, and every limit. Generated from the schemas that read it: \`infra/settings.ts\`, \`lib/config/\` and the limits in the code.

## Flags of a deployment

\`npx cdk deploy -c name=value\`, or \`settings\` of the construct. One that cannot be read fails the synth and is named. Examples are in [deploy](deploy.md).

| flag | default | unit | bounds | what it does |
| --- | --- | --- | --- | --- |
${flags().join('\n')}

## Variables of the functions

The stack sets them from the flags; a function that lacks one does not start, and names all that are missing.

| variable | read by | unit | what it is |
| --- | --- | --- | --- |
${functionVariables().join('\n')}

## Variables of commands

| variable | default | read by | what it is |
| --- | --- | --- | --- |
${tools().join('\n')}

## Limits

What is beyond one is refused with the code, as the answer of a request or the error of a job, while it is read: nothing of it becomes visible. Where a limit can be set, the last column says how.

| what | limit | unit | code | set by |
| --- | --- | --- | --- | --- |
${limits().join('\n')}

\`GET /v1/usage\` tells how much a workspace stores: its files, and the parts that the snapshots of its tables name, each once. Writes count along. A job of the kind \`count-storage\` (input \`{}\`) counts the rows anew: run it once in each workspace after an
upgrade from a release that did not count.

What a dataset decides for itself (stages, drift, retention, personal data) is its policy: [tables](tables.md), [pii](pii.md), [describe](describe.md).
`;
