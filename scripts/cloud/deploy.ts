// Deploys the stack to an AWS endpoint on this machine by the CDK's own command, as it would be deployed to AWS.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './run.ts';
import { account, cloudEnvironment, region, root, type Say } from './settings.ts';

export interface DeployOptions {
  /** The endpoint of every AWS service. */
  readonly url: string;
  /** Absolute; the assembly, the outputs and the log of the deployment go here. */
  readonly stateDir: string;
  readonly log: Say;
  /** The CDK app as a command line; the one of cdk.json where it is left out. */
  readonly app?: string;
  readonly context?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Names and values of all the stacks' outputs. */
export type Outputs = Readonly<Record<string, string>>;

/** Throws an Error whose message ends with what the CDK said last. */
export async function deployStack(options: DeployOptions): Promise<Outputs> {
  const { stateDir, log } = options;
  await mkdir(stateDir, { recursive: true });
  const outputsFile = join(stateDir, 'outputs.json');
  const assembly = join(stateDir, 'cdk.out');
  const context = Object.entries({ target: 'local', ...options.context }).flatMap(([name, value]) => [
    '--context',
    `${name}=${value}`,
  ]);
  const app = options.app === undefined ? [] : ['--app', options.app];
  log('Deploy: cdk bootstrap and, beside it, cdk synth.');
  await Promise.all([
    // In a folder without cdk.json, since the CDK would otherwise synthesise the app here too, and apart from the synth, whose
    // output it would find locked.
    cdk(options, ['bootstrap', `aws://${account}/${region}`], await folderIn(stateDir, 'bootstrap')),
    cdk(options, ['synth', '--quiet', '--output', assembly, ...app, ...context]),
  ]);
  log('Deploy: cdk deploy.');
  await cdk(options, [
    'deploy',
    '--app',
    assembly,
    '--all',
    '--require-approval',
    'never',
    '--outputs-file',
    outputsFile,
  ]);
  return readOutputs(outputsFile);
}

async function cdk({ url, stateDir, signal }: DeployOptions, args: readonly string[], cwd = root): Promise<void> {
  const env = { ...cloudEnvironment(url), CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region, CI: 'true' };
  const common = ['--no-notices', '--no-version-reporting', '--no-color'];
  const { code, all } = await run(join(root, 'node_modules/.bin/cdk'), [...args, ...common], {
    env,
    cwd,
    ...(signal === undefined ? {} : { signal }),
  });
  const [verb = 'cdk'] = args;
  await writeFile(join(stateDir, `${verb}.log`), all);
  if (code === 0) return;
  const end = all.trim().split('\n').slice(-15).join('\n');
  throw new Error(`cdk ${verb} failed (exit ${code}). The end of what it said:\n${end}`);
}

async function folderIn(parent: string, name: string): Promise<string> {
  const folder = join(parent, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function readOutputs(file: string): Promise<Outputs> {
  const stacks = JSON.parse(await readFile(file, 'utf8')) as Record<string, Outputs>;
  return Object.assign({}, ...Object.values(stacks)) as Outputs;
}

/**
 * The base of the HTTP API on an endpoint of this machine. The stack's own output names a host of AWS's, which resolves
 * nowhere here; emulators serve the API under a path of the endpoint.
 */
export function apiUrl(url: string, apiEndpoint: string): string {
  const id = /^https?:\/\/([a-z0-9]+)\.execute-api\./.exec(apiEndpoint)?.[1];
  return id === undefined ? apiEndpoint.replace(/\/$/, '') : `${url}/_aws/execute-api/${id}/$default`;
}
