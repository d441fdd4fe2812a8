// Where Lambda says what it gave up on: one queue for each function that is called without a queue of its own.
import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { type Settings, tlsOnly } from './settings.ts';

/** `of`: what fails into it, for the reason why it has no dead letters itself. */
export function failureQueue(scope: Construct, settings: Settings, of: string): Queue {
  const failures = new Queue(scope, 'Failures', {
    encryption: QueueEncryption.SQS_MANAGED,
    enforceSSL: tlsOnly(settings),
    retentionPeriod: Duration.days(14),
  });
  acknowledge(failures, `It is the failure destination of a ${of}.`, 'AwsSolutions-SQS3');
  return failures;
}
