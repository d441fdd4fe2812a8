// The service as a stack of its own, with an output for whatever an operator needs.
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Millrace, type MillraceProps } from './millrace.ts';

export class ServiceStack extends Stack {
  constructor(scope: Construct, id: string, { kinds, functions, settings, ...props }: StackProps & MillraceProps = {}) {
    super(scope, id, { description: 'Millrace: durable jobs and staged data pipelines', ...props });
    // `Default` leaves no trace in the ids of resources, so that they are the same as in a stack that composes the parts itself.
    const { outputs } = new Millrace(this, 'Default', { kinds, functions, settings });
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
