// The context flags of a deployment (`cdk deploy -c name=value`), read once. docs/configuration.md lists them.
import type { Node } from 'constructs';
import * as z from 'zod';
import { modelId, modelRegion } from '../lib/config/bedrock-model.ts';
import { WORKSPACE_BYTES } from '../lib/ingest/quota.ts';
import { tableSchema } from '../lib/store/table.ts';

const count = z.coerce.number().int();

/** docs/configuration.md is made of it. */
export const settingsSchema = z.strictObject({
  target: z.enum(['aws', 'local']).default('aws').meta({
    description:
      '`aws`, or `local` for an emulator on this machine: `reserve` is 6 then, `watchers` 8 and `retain` false, over plain HTTP.',
  }),
  arch: z.enum(['arm64', 'x86_64']).meta({
    description:
      'What the functions run on: `arm64` unless it is said; on an emulator, which runs them on the host itself, what that is.',
  }),
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/)
    .default('Millrace')
    .meta({ description: 'The name of the stack: several services stand side by side in one account.' }),
  workers: count.min(2).max(1000).default(50).meta({
    description: 'The most jobs at once on the default lane: the event source’s maximum concurrency.',
    unit: 'jobs',
  }),
  tenantCap: count.min(0).max(100_000).default(0).meta({
    description: 'The most jobs of one tenant that run at once, over all of its workspaces; 0 for no limit.',
    unit: 'jobs',
  }),
  workspaceBytes: count.min(0).default(WORKSPACE_BYTES).meta({
    description: 'Bytes that a workspace may store, of files and tables together; 0 for no limit.',
    unit: 'bytes',
  }),
  dueWorkers: count
    .min(2)
    .max(1000)
    .default(10)
    .meta({ description: 'The most jobs at once on the lane `due`.', unit: 'jobs' }),
  watchers: count.min(1).max(1000).default(100).meta({
    description: 'Callers that wait for a job at once, at most; what is beyond is answered immediately.',
    unit: 'callers',
  }),
  reserve: count.min(1).optional().meta({
    description:
      'Reserved concurrency of the worker; the stage function gets twice as much, since an execution under way waits for nobody. New accounts cannot reserve.',
    unit: 'invocations',
  }),
  describeModel: modelId
    .optional()
    .meta({ description: 'The model of Amazon Bedrock, or the inference profile, that describes tables.' }),
  describeRegion: modelRegion
    .optional()
    .meta({ description: 'The region whose endpoint is asked for descriptions; that of the stack where left out.' }),
  describeRunCents: z.coerce
    .number()
    .min(0)
    .max(1_000_000)
    .default(50)
    .meta({ description: 'Cents that one job may spend on models.', unit: 'cents' }),
  describeMonthCents: z.coerce
    .number()
    .min(0)
    .max(1_000_000)
    .default(1000)
    .meta({ description: 'Cents that one workspace may spend on models in a month.', unit: 'cents' }),
  describeInputCents: z.coerce.number().min(0).optional().meta({
    description: 'Cents for a million tokens that a model reads which the price list has not.',
    unit: 'cents',
  }),
  describeOutputCents: z.coerce
    .number()
    .min(0)
    .optional()
    .meta({ description: 'Cents for a million tokens that such a model writes.', unit: 'cents' }),
  embedModel: modelId.optional().meta({
    description: 'The embedding model of Amazon Bedrock, or an inference profile of one, that search is fused with.',
  }),
  embedRegion: modelRegion
    .optional()
    .meta({ description: 'The region whose endpoint is asked for embeddings; that of the stack where left out.' }),
  embedDimensions: count
    .optional()
    .meta({ description: 'Of a vector: a byte each; those of the model where left out.', unit: 'bytes of a vector' }),
  embedInputCents: z.coerce
    .number()
    .min(0)
    .optional()
    .meta({ description: 'Cents for a million tokens, where they are not those of the price list.', unit: 'cents' }),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO').meta({ description: 'What the functions log.' }),
  alarmTopicArn: z.string().startsWith('arn:').optional().meta({ description: 'An SNS topic that the alarms notify.' }),
  indexes: count.min(2).max(tableSchema.indexes.length).default(tableSchema.indexes.length).meta({
    description: 'How many of the table’s indexes there are: an update of a table that is there already may add one.',
  }),
  retain: z.stringbool().default(true).meta({ description: 'Whether the table and the bucket outlive the stack.' }),
  uploadOrigins: z
    .string()
    .default('*')
    .transform((origins) => origins.split(','))
    .meta({ description: 'Origins whose browsers may PUT presigned parts, separated by commas.' }),
});

export type Settings = z.output<typeof settingsSchema>;

/** The host's architecture by Lambda's name for it. */
const hostArch = process.arch === 'arm64' ? 'arm64' : 'x86_64';

/** Refuse whatever does not come over TLS; an emulator speaks plain HTTP, and enforces such a policy. */
export const tlsOnly = ({ target }: Settings): boolean => target === 'aws';

/** Throws an Error that names each flag that cannot be read. */
export function readSettings(node: Node): Settings {
  const given = Object.fromEntries(
    Object.keys(settingsSchema.shape).map((name) => [name, node.tryGetContext(name) as unknown]),
  );
  const local = given['target'] === 'local';
  const defaults = local ? { arch: hostArch, reserve: 6, watchers: 8, retain: 'false' } : { arch: 'arm64' };
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined);
  const parsed = settingsSchema.safeParse({ ...defaults, ...Object.fromEntries(chosen) });
  if (parsed.success) return parsed.data;
  throw new Error(`Context flags that cannot be read:\n${z.prettifyError(parsed.error)}`);
}
