// A CDK app with the kinds beside it: `npx cdk deploy --app 'node examples/app.ts'` in a project that has millrace installed.
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Millrace } from 'millrace/infra';

const stack = new Stack(new App(), 'Reports');
const millrace = new Millrace(stack, 'Millrace', {
  kinds: new URL('./kinds.ts', import.meta.url),
  functions: { reports: { memory: 2048, workers: 4 } },
});
for (const [name, value] of Object.entries(millrace.outputs)) new CfnOutput(stack, name, { value });
