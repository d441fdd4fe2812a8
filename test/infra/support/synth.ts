// Synthesises the stack in this process, as `cdk synth` would, into a folder that is removed again.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { MillraceProps } from '../../../infra/millrace.ts';
import { ServiceStack } from '../../../infra/service-stack.ts';

type Json = ReturnType<typeof JSON.parse>;

export interface Resource {
  readonly Type: string;
  readonly Properties: Json;
  readonly DeletionPolicy?: string;
}

export interface Synthesised extends Disposable {
  readonly folder: string;
  readonly resources: Readonly<Record<string, Resource>>;
  readonly outputs: Readonly<Record<string, Json>>;
  /** Findings of cdk-nag that nobody acknowledged, as `rule path`. */
  readonly findings: readonly string[];
  ofType(type: string): readonly (readonly [string, Resource])[];
}

/** Synthesises what `build` adds to an app. */
export function synth(build: (app: App) => Stack, context: Readonly<Record<string, string>> = {}): Synthesised {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-synth-'));
  const app = new App({ outdir: folder, context, analyticsReporting: false });
  const { artifactId } = build(app);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  synthWithFindings(app);
  const template = read(folder, `${artifactId}.template.json`);
  // Throws for resources that wait for each other in a circle, which CloudFormation would refuse.
  Template.fromJSON(template);
  const resources = template.Resources as Record<string, Resource>;
  return {
    folder,
    resources,
    outputs: template.Outputs ?? {},
    findings: findingsOf(read(folder, 'validation-report.json')),
    ofType: (type) => Object.entries(resources).filter(([, resource]) => resource.Type === type),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Findings are thrown once everything is written; here they are for the test to judge. */
function synthWithFindings(app: App): void {
  try {
    app.synth();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ValidationFailed') throw error;
  }
}

export const synthService = (
  context: Readonly<Record<string, string>> = {},
  props: Pick<MillraceProps, 'kinds' | 'functions'> = {},
): Synthesised => synth((app) => new ServiceStack(app, 'Millrace', props), context);

const read = (folder: string, file: string): Json => JSON.parse(readFileSync(join(folder, file), 'utf8'));

const findingsOf = (report: Json): string[] =>
  report.pluginReports.flatMap((plugin: Json) =>
    plugin.violations.flatMap((violation: Json) =>
      violation.violatingConstructs.map((construct: Json) => `${violation.ruleName} ${construct.constructPath}`),
    ),
  );

/** The function whose code has this handler, after its logical id. */
export function functionAt(stack: Synthesised, handler: string): readonly [string, Resource] {
  const found = stack.ofType('AWS::Lambda::Function').find(([, each]) => each.Properties.Handler === handler);
  if (!found) throw new Error(`no function has the handler ${handler}`);
  return found;
}
