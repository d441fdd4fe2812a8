// The CDK app: `cdk deploy` for AWS, `-c target=local` for an emulator on this machine.
import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ServiceStack } from './service-stack.ts';
import { readSettings } from './settings.ts';

const app = new App();
const settings = readSettings(app.node);
const kinds = (app.node.tryGetContext('kinds') as string | undefined) ?? process.env['MILLRACE_KINDS'];
const account = process.env['CDK_DEFAULT_ACCOUNT'];
const region = process.env['CDK_DEFAULT_REGION'];
const env = account === undefined || region === undefined ? {} : { env: { account, region } };
// Emulators refuse the bootstrap's own publishing role its bucket; the caller's credentials publish instead.
const synthesizer =
  settings.target === 'local' ? { synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer } : {};
new ServiceStack(app, settings.stackName, { kinds, ...env, ...synthesizer });
if (settings.target === 'aws') Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
app.synth();
