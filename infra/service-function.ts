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
import { withBundle } from './bundle.ts';
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
  /** Files, by their path from the root, that start beside the handler: a thread's, a process'. */
  readonly besides?: readonly string[];
  readonly usesDuckDb?: true;
  /** It rings a queue whose messages lead back to it; Lambda would otherwise take that for a runaway loop. */
  readonly ringsItself?: true;
  /** Old versions stay, since executions under way still call them. */
  readonly keepsVersions?: true;
  readonly reserve?: number | undefined;
}

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
    this.lambda = withBundle(
      {
        entries: [`functions/${props.name}.ts`, ...(props.besides ?? [])],
        native: props.usesDuckDb ?? false,
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
          environment: { ...props.environment, POWERTOOLS_LOG_LEVEL: settings.logLevel },
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
}

function sizes<F extends FunctionName>({ timeout, memory, disk = 512, reserve }: ServiceFunctionProps<F>) {
  return {
    timeout: Duration.seconds(timeout),
    memorySize: memory,
    ephemeralStorageSize: Size.mebibytes(disk),
    ...(reserve === undefined ? {} : { reservedConcurrentExecutions: reserve }),
  };
}
