// A state machine for each pipeline, and the two functions that they call: one runs a step, one settles what was caught.
import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import type { PipelineDefinition } from '../lib/pipeline/definition.ts';
import { stateMachine } from '../lib/pipeline/state-machine.ts';
import { acknowledge, acknowledgeWildcards } from './acknowledge.ts';
import { describerOf } from './describer.ts';
import { allowModel } from './models.ts';
import { pascal } from './names.ts';
import { ServiceFunction, type ServiceFunctionProps } from './service-function.ts';
import type { World } from './world.ts';

/** MiB: a CPU and a bit; the limits of reading (lib/ingest/reading) stay well below it. */
const stageMemory = 2048;
/** MiB, of a function that pipelines bring. */
const ownMemory = 1024;

interface StageOptions
  extends Pick<ServiceFunctionProps<'stage'>, 'memory' | 'usesDuckDb' | 'disk' | 'options' | 'besides'> {
  /** The model that its stages may ask. */
  readonly describer?: ReturnType<typeof describerOf>;
}

export class Pipelines extends Construct {
  readonly functions: { readonly Stage: ServiceFunction<'stage'>; readonly Settle: ServiceFunction<'settle'> };
  /** Those that pipelines bring, by the name that they give them. */
  readonly own: ReadonlyMap<string, ServiceFunction<'stage'>>;
  readonly #machines: ReadonlyMap<string, StateMachine>;

  constructor(scope: Construct, id: string, world: World, definitions: readonly PipelineDefinition[]) {
    super(scope, id);
    const shared = {
      memory: stageMemory,
      usesDuckDb: true,
      disk: 10_240,
      besides: ['lib/query/query-worker', 'lib/ingest/chunks/survey-thread'],
      describer: describerOf(world.settings),
    } as const;
    this.functions = { Stage: this.#stage('Stage', world, shared), Settle: this.#settle(world) };
    // Of queries that run as jobs.
    world.objects.allowResults(this.functions.Stage);
    // Bytes of uploads that no file is known by: retention looks for them.
    world.objects.allowRemoveFiles(this.functions.Stage);
    const own = world.kinds.functions.filter(({ pipelines }) => pipelines.length > 0);
    this.own = new Map(
      own.map(
        ({ name, options }) =>
          [name, this.#stage(`Own${pascal(name)}`, world, { memory: ownMemory, options })] as const,
      ),
    );
    const role = this.#machineRole();
    const logs = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.#machines = new Map(
      definitions.map((definition) => [definition.kind, this.#machine(definition, role, logs)] as const),
    );
    acknowledge(role, 'Delivery of logs and of traces has no resource of its own.', 'AwsSolutions-IAM5[Resource::*]');
    this.#settleWhatEnded();
  }

  /** Each machine's ARN by kind, as JSON. */
  get arnsByKind(): string {
    const arns = [...this.#machines].map(([kind, machine]) => [kind, machine.stateMachineArn] as const);
    return Stack.of(this).toJsonString(Object.fromEntries(arns));
  }

  get outputs(): Readonly<Record<string, string>> {
    const named = [...this.#machines].map(([kind, machine]) => [`${pascal(kind)}StateMachineArn`, machine] as const);
    return Object.fromEntries(named.map(([name, machine]) => [name, machine.stateMachineArn]));
  }

  allowStart(user: ServiceFunction): void {
    const machines = [...this.#machines.values()].map((machine) => machine.stateMachineArn);
    user.allow(['states:StartExecution'], machines);
    // An execution that exists already is ours if its input is; that is asked of the execution.
    this.allowProbe(user);
  }

  allowProbe(user: ServiceFunction): void {
    const executions = [...this.#machines.values()].map(executionsOf);
    user.allow(['states:DescribeExecution'], executions);
    acknowledgeWildcards(user.role, 'An execution is named after its job and epoch.', executions);
  }

  #stage(
    id: string,
    { settings, rows, objects, doorbells, kinds }: World,
    { describer = null, ...more }: StageOptions,
  ): ServiceFunction<'stage'> {
    const stage = new ServiceFunction(this, id, {
      ...more,
      name: 'stage',
      settings,
      description: 'Runs one step of a pipeline.',
      timeout: 900,
      besides: ['functions/support/heartbeat-thread', ...(more.besides ?? [])],
      kindsFile: kinds.file,
      ringsItself: true,
      keepsVersions: true,
      reserve: settings.reserve && settings.reserve * 2,
      environment: {
        TABLE_NAME: rows.table.tableName,
        BUCKET_NAME: objects.bucket.bucketName,
        TENANT_CAP: String(settings.tenantCap),
        WORKSPACE_BYTES: String(settings.workspaceBytes),
        DESCRIBER: JSON.stringify(describer),
        ...doorbells.urls,
      },
    });
    rows.allow(stage, 'GetItem', 'PutItem', 'UpdateItem', 'ConditionCheckItem', 'Query');
    rows.allowRelease(stage);
    objects.allowRead(stage);
    objects.allowWrite(stage);
    objects.allowReplace(stage);
    objects.allowForgetTables(stage);
    doorbells.allowRing(stage);
    allowModel(stage, describer);
    return stage;
  }

  #settle({ settings, rows, doorbells }: World): ServiceFunction<'settle'> {
    const settle = new ServiceFunction(this, 'Settle', {
      name: 'settle',
      settings,
      description: 'Settles the job of an execution that was caught, failed, timed out or was stopped.',
      timeout: 60,
      memory: 256,
      ringsItself: true,
      keepsVersions: true,
      environment: {
        TABLE_NAME: rows.table.tableName,
        ...doorbells.urls,
      },
    });
    rows.allow(settle, 'GetItem', 'UpdateItem');
    rows.allowRelease(settle);
    doorbells.allowRing(settle);
    return settle;
  }

  /** Any version of the functions that it calls, since executions under way call older ones. */
  #machineRole(): Role {
    const role = new Role(this, 'MachineRole', { assumedBy: new ServicePrincipal('states.amazonaws.com') });
    const called = [...Object.values(this.functions), ...this.own.values()];
    const resources = called.map(({ lambda }) => `${lambda.functionArn}:*`);
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources }));
    const older =
      'Versions of the functions that it calls only: an execution under way finishes on the ones that it started with.';
    acknowledgeWildcards(role, older, resources);
    return role;
  }

  #machine(definition: PipelineDefinition, role: Role, destination: LogGroup): StateMachine {
    const { Stage: shared, Settle } = this.functions;
    const Stage = this.own.get(definition.function ?? '') ?? shared;
    const machine = stateMachine(definition, {
      stageFunctionArn: Stage.version.functionArn,
      settleFunctionArn: Settle.version.functionArn,
    });
    const built = new StateMachine(this, pascal(definition.kind), {
      comment: machine.Comment,
      definitionBody: DefinitionBody.fromString(Stack.of(this).toJsonString(machine)),
      role,
      tracingEnabled: true,
      logs: { destination, level: LogLevel.ERROR, includeExecutionData: false },
    });
    const history = 'Step Functions keeps the whole history of an execution itself; errors are what one looks for.';
    acknowledge(built, history, 'AwsSolutions-SF1');
    return built;
  }

  /** The catch of the machine sees what a step throws; nothing inside a machine sees that the machine itself ended. */
  #settleWhatEnded(): void {
    new Rule(this, 'Ended', {
      description: 'Executions that ended without their own settle.',
      eventPattern: {
        source: ['aws.states'],
        detailType: ['Step Functions Execution Status Change'],
        detail: {
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
          stateMachineArn: [...this.#machines.values()].map((machine) => machine.stateMachineArn),
        },
      },
      targets: [new LambdaFunction(this.functions.Settle.live)],
    });
  }
}

const executionsOf = (machine: StateMachine): string =>
  Stack.of(machine).formatArn({
    service: 'states',
    resource: 'execution',
    resourceName: `${machine.stateMachineName}:*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
