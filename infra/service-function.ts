// A function as every part of the stack wants it: a role of its own with its own log group, a version for each change of its
// code, and an alias that event sources call.
import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  Function,
  type IFunction,
  type IVersion,
  RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EnvironmentText, FunctionName } from '../lib/config/environment.ts';
import { acknowledge } from './acknowledge.ts';
import { withBundle } from './bundle.ts';
import type { OwnFunctionOptions } from './own-kinds.ts';
import type { Settings } from './settings.ts';

export interface ServiceFunctionProps<F extends FunctionName> {
  readonly name: F;
  readonly settings: Settings;
  readonly environment: EnvironmentText<F>;
  readonly description: string;
  /** Seconds. */
  readonly timeout: number;
  /** MiB; a CPU comes with each 1,769. */
  readonly memory: number;
  /** MiB of /tmp; 512 where left out. */
  readonly disk?: number;
  /** MiB that JavaScript objects may take; three quarters of the memory where left out. */
  readonly heap?: number;
  /** Files, by their path from the root and without extension, that start beside the handler: a thread's, a process'. */
  readonly besides?: readonly string[];
  readonly usesDuckDb?: true;
  /** It rings a queue whose messages lead back to it; Lambda would otherwise take that for a runaway loop. */
  readonly ringsItself?: true;
  /** Old versions stay, since executions under way still call them. */
  readonly keepsVersions?: true;
  readonly reserve?: number | undefined;
  /** The user's kinds, for a function that knows kinds. */
  readonly kindsFile?: string | undefined;
  /** What a kind asks for its own function; goes over the rest. */
  readonly options?: OwnFunctionOptions;
}

/** What Lambda itself needs to put a function into a VPC. */
const vpcActions = [
  'ec2:AssignPrivateIpAddresses',
  'ec2:CreateNetworkInterface',
  'ec2:DeleteNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:UnassignPrivateIpAddresses',
];

export class ServiceFunction<F extends FunctionName = FunctionName> extends Construct implements IGrantable {
  readonly role: Role;
  readonly lambda: Function;
  /** What a state machine calls: an execution finishes on the code that it started with. */
  readonly version: IVersion;
  /** What event sources call. */
  readonly live: IFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps<F>) {
    super(scope, id);
    const { settings } = props;
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    this.allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
    if (props.options?.vpc !== undefined) this.#allowVpc();
    this.lambda = withBundle(
      {
        entries: [`functions/${props.name}`, ...(props.besides ?? [])],
        native: props.usesDuckDb ?? false,
        kindsFile: props.kindsFile,
        arch: settings.arch,
      },
      ({ folder, hash }) =>
        new Function(this, 'Function', {
          ...sizes(props),
          description: props.description,
          runtime: Runtime.NODEJS_24_X,
          architecture: settings.arch === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
          handler: `${props.name}.handler`,
          code: Code.fromAsset(folder, { assetHash: hash }),
          environment: environmentOf(props),
          role: this.role,
          logGroup,
          recursiveLoop: props.ringsItself ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
          currentVersionOptions: {
            removalPolicy: props.keepsVersions ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
          },
        }),
    );
    // The CDK's classes fit its interfaces but for optional properties that may be undefined.
    this.version = this.lambda.currentVersion as IVersion;
    this.live = new Alias(this, 'Live', { aliasName: 'live', version: this.version }) as IFunction;
  }

  get grantPrincipal(): Role['grantPrincipal'] {
    return this.role.grantPrincipal;
  }

  /** The only way in which a function gets rights: these actions on these resources. */
  allow(actions: readonly string[], resources: readonly string[]): void {
    this.role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [...resources] }));
  }

  #allowVpc(): void {
    this.allow(vpcActions, ['*']);
    const unnamed = 'Network interfaces are made by Lambda under names that nobody knows before.';
    acknowledge(this.role, unnamed, 'AwsSolutions-IAM5[Resource::*]');
  }
}

function sizes<F extends FunctionName>({ options = {}, ...props }: ServiceFunctionProps<F>) {
  const { timeout, memory, disk = 512, reserve } = { ...props, ...defined(options) };
  const { vpc, vpcSubnets, securityGroups, layers } = options;
  return {
    timeout: Duration.seconds(timeout),
    memorySize: memory,
    ephemeralStorageSize: Size.mebibytes(disk),
    ...(reserve === undefined ? {} : { reservedConcurrentExecutions: reserve }),
    ...(layers && { layers: [...layers] }),
    ...(vpc && {
      vpc,
      ...(vpcSubnets && { vpcSubnets }),
      ...(securityGroups && { securityGroups: [...securityGroups] }),
    }),
  };
}

const defined = <T extends object>(given: T): Partial<T> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Without a limit of its own Node sizes its heap by the machine, and a leak would end in a kill that nobody can tell from a crash. */
function environmentOf<F extends FunctionName>(props: ServiceFunctionProps<F>): Record<string, string> {
  const { NODE_OPTIONS = '', ...own } = props.options?.environment ?? {};
  const clash = Object.keys(own).find((name) => name in props.environment);
  if (clash !== undefined) throw new Error(`The variable ${clash} is the service's own; give yours another name.`);
  const memory = props.options?.memory ?? props.memory;
  const heap = props.options?.heap ?? props.heap ?? Math.floor(memory * 0.75);
  const nodeOptions = `--max-old-space-size=${heap} ${NODE_OPTIONS}`.trimEnd();
  const { logLevel } = props.settings;
  return { POWERTOOLS_LOG_LEVEL: logLevel, ...own, ...props.environment, NODE_OPTIONS: nodeOptions };
}
