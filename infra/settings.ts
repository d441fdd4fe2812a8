// The context flags of a deployment (`cdk deploy -c name=value`), read once. docs/deploy.md lists them.
import type { Node } from 'constructs';
import * as z from 'zod';
import { modelId, modelRegion } from '../lib/config/bedrock-model.ts';
import { WORKSPACE_BYTES } from '../lib/ingest/quota.ts';
import { tableSchema } from '../lib/store/table.ts';

const count = z.coerce.number().int();

const schema = z.strictObject({
  /** `aws`, or `local` for an emulator on this machine. */
  target: z.enum(['aws', 'local']).default('aws'),
  /** What the functions run on; an emulator runs them on the host itself. */
  arch: z.enum(['arm64', 'x86_64']),
  stackName: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,99}$/)
    .default('Millrace'),
  /** The most jobs at once on the default lane: the event source's maximum concurrency. */
  workers: count.min(2).max(1000).default(50),
  /** The most jobs of one tenant that run at once, over all of its workspaces; 0 for no limit. */
  tenantCap: count.min(0).max(100_000).default(0),
  /** Bytes that a workspace may store, of files and tables together; 0 for no limit. */
  workspaceBytes: count.min(0).default(WORKSPACE_BYTES),
  /** The same for the lane `due`. */
  dueWorkers: count.min(2).max(1000).default(10),
  /** Callers that wait for a job at once, at most; what is beyond is answered immediately. */
  watchers: count.min(1).max(1000).default(100),
  /**
   * Reserved concurrency of the worker; the stage function gets twice as much, since an execution under way waits for nobody. New
   * accounts cannot reserve, so by default nothing is.
   */
  reserve: count.min(1).optional(),
  /** The model of Amazon Bedrock, or the inference profile, that describes tables; none by default. */
  describeModel: modelId.optional(),
  describeRegion: modelRegion.optional(),
  /** Cents that one job, and one workspace in a month, may spend on models. */
  describeRunCents: z.coerce.number().min(0).max(1_000_000).default(50),
  describeMonthCents: z.coerce.number().min(0).max(1_000_000).default(1000),
  /** Cents for a million tokens of a model that the price list has not. */
  describeInputCents: z.coerce.number().min(0).optional(),
  describeOutputCents: z.coerce.number().min(0).optional(),
  /** The embedding model of Amazon Bedrock, or an inference profile of one, that search is fused with; none by default. */
  embedModel: modelId.optional(),
  embedRegion: modelRegion.optional(),
  /** Of a vector: a byte each. */
  embedDimensions: count.optional(),
  /** Cents for a million tokens, where they are not those of the price list. */
  embedInputCents: z.coerce.number().min(0).optional(),
  logLevel: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).default('INFO'),
  /** An SNS topic that the alarms notify. */
  alarmTopicArn: z.string().startsWith('arn:').optional(),
  /** How many of the table's indexes there are: an update of a table that is there already may add one. */
  indexes: count.min(2).max(tableSchema.indexes.length).default(tableSchema.indexes.length),
  /** Whether the table and the bucket outlive the stack. */
  retain: z.stringbool().default(true),
  /** Origins whose browsers may PUT presigned parts, separated by commas. */
  uploadOrigins: z
    .string()
    .default('*')
    .transform((origins) => origins.split(',')),
});

export type Settings = z.output<typeof schema>;

/** The host's architecture by Lambda's name for it. */
const hostArch = process.arch === 'arm64' ? 'arm64' : 'x86_64';

/** Refuse whatever does not come over TLS; an emulator speaks plain HTTP, and enforces such a policy. */
export const tlsOnly = ({ target }: Settings): boolean => target === 'aws';

/** Throws an Error that names each flag that cannot be read. */
export function readSettings(node: Node): Settings {
  const given = Object.fromEntries(
    Object.keys(schema.shape).map((name) => [name, node.tryGetContext(name) as unknown]),
  );
  const local = given['target'] === 'local';
  const defaults = local ? { arch: hostArch, reserve: 6, watchers: 8, retain: 'false' } : { arch: 'arm64' };
  const chosen = Object.entries(given).filter(([, value]) => value !== undefined);
  const parsed = schema.safeParse({ ...defaults, ...Object.fromEntries(chosen) });
  if (parsed.success) return parsed.data;
  throw new Error(`Context flags that cannot be read:\n${z.prettifyError(parsed.error)}`);
}
