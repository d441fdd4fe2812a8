// The user's kinds as the stack needs them: the file that every bundle takes in, and which functions and queues its kinds ask for. The file
// is loaded when the stack is built, so that a mistake in it fails the synth and not the first job.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import type { ILayerVersion } from 'aws-cdk-lib/aws-lambda';
import { environments } from '../lib/config/environment.ts';
import { asError } from '../lib/core/check.ts';
import { diagnosticKinds } from '../lib/job/diagnostics.ts';
import { createRegistry } from '../lib/job/registry.ts';
import type { PipelineDefinition } from '../lib/pipeline/definition.ts';
import { type OwnKind, readOwnKinds } from '../lib/pipeline/own-kinds.ts';
import { definitions } from './definitions.ts';

/** What a function that a kind brings may ask for, over what the shared one has. */
export interface OwnFunctionOptions {
  /** MiB; a CPU comes with each 1,769. Default 1,024. */
  readonly memory?: number;
  /** MiB of memory that JavaScript objects may take before the process ends itself; default three quarters of `memory`. */
  readonly heap?: number;
  /** Seconds, at most 900, which is the default. */
  readonly timeout?: number;
  /** MiB of /tmp; default 512. */
  readonly disk?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly layers?: readonly ILayerVersion[];
  readonly vpc?: IVpc;
  readonly vpcSubnets?: SubnetSelection;
  readonly securityGroups?: readonly ISecurityGroup[];
  /** Reserved concurrency; default as for the shared function. */
  readonly reserve?: number;
  /** The most jobs at once on the lane `default`; default as for the worker. */
  readonly workers?: number;
}

export interface OwnFunction {
  readonly name: string;
  readonly options: OwnFunctionOptions;
  readonly jobs: readonly string[];
  readonly pipelines: readonly string[];
}

export interface OwnKinds {
  /** Absolute; undefined where the user brings none. */
  readonly file: string | undefined;
  readonly kinds: readonly OwnKind[];
  /** Of every kind that the stack runs, those that come with it among them; sorted. */
  readonly names: readonly string[];
  readonly pipelines: readonly PipelineDefinition[];
  readonly functions: readonly OwnFunction[];
  /** Jobs whose doorbells may be heard several at a time. */
  readonly batched: readonly string[];
}

type OptionsByName = Readonly<Record<string, OwnFunctionOptions>>;

/** `file`: a path from the working directory, or a file URL. Throws an Error that says what is wrong with the file or the functions. */
export function readKinds(file: string | URL | undefined, options: OptionsByName = {}): OwnKinds {
  const path = file === undefined ? undefined : pathOf(file);
  const kinds = path === undefined ? [] : load(path);
  const all = createRegistry([...diagnosticKinds, ...definitions, ...kinds]);
  return {
    file: path,
    kinds,
    names: all.names(),
    pipelines: kinds.filter((kind) => kind.type === 'pipeline'),
    functions: functionsOf(kinds, options),
    batched: kinds.filter((kind) => kind.type === 'job' && kind.batch === true).map(({ kind }) => kind),
  };
}

const pathOf = (file: string | URL): string =>
  file instanceof URL || file.startsWith('file:') ? fileURLToPath(file) : resolve(file);

function load(path: string): readonly OwnKind[] {
  let loaded: { readonly kinds?: unknown };
  try {
    loaded = createRequire(import.meta.url)(path) as { readonly kinds?: unknown };
  } catch (thrown) {
    const waits = (thrown as { readonly code?: unknown }).code === 'ERR_REQUIRE_ASYNC_MODULE';
    const why = waits ? 'it waits (`await`) at its top level, which a file of kinds cannot' : asError(thrown).message;
    throw new Error(`The kinds in ${path} cannot be loaded: ${why}`, { cause: thrown });
  }
  return readOwnKinds(loaded.kinds, path);
}

function functionsOf(kinds: readonly OwnKind[], options: OptionsByName): OwnFunction[] {
  const names = [...new Set(kinds.flatMap((kind) => kind.function ?? []))].sort();
  const taken = names.find((name) => name in environments || name === 'worker-batch');
  if (taken !== undefined) throw new Error(`A function of your own cannot be named "${taken}": the service has one.`);
  const unused = Object.keys(options).find((name) => !names.includes(name));
  if (unused !== undefined)
    throw new Error(`No kind names the function "${unused}" (defineJob({ function: '${unused}', … })).`);
  return names.map((name) => {
    const of = (type: OwnKind['type']) =>
      kinds.filter((kind) => kind.function === name && kind.type === type).map(({ kind }) => kind);
    return { name, options: options[name] ?? {}, jobs: of('job'), pipelines: of('pipeline') };
  });
}
