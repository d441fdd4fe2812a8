// The relay's own role announces the ends of jobs on the default bus, where any rule takes them up; and it counts what it relays.
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, describe, it } from 'vitest';
import { clientSettings, openCloud } from './support/cloud.ts';
import { ended, submit } from './support/jobs.ts';
import { waitFor } from './support/wait.ts';

const cloud = openCloud();
const events = new EventBridgeClient(clientSettings());
afterAll(() => {
  cloud[Symbol.dispose]();
  events.destroy();
});

/** Hears the ends of jobs of this tenant; answers each new one. */
async function listen(name: string) {
  const { QueueUrl } = await cloud.sqs.send(new CreateQueueCommand({ QueueName: name }));
  const asked = { QueueUrl, AttributeNames: ['QueueArn' as const] };
  const { Attributes } = await cloud.sqs.send(new GetQueueAttributesCommand(asked));
  const EventPattern = JSON.stringify({ source: ['millrace'], 'detail-type': [{ prefix: 'job.' }] });
  await events.send(new PutRuleCommand({ Name: name, EventPattern }));
  await events.send(new PutTargetsCommand({ Rule: name, Targets: [{ Id: 'queue', Arn: Attributes?.['QueueArn'] }] }));
  return async () => {
    const { Messages = [] } = await cloud.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    return Messages.map(({ Body = '' }) => JSON.parse(Body) as { 'detail-type': string; detail: { jobId: string } });
  };
}

describe('the relay on the deployed stack', () => {
  it('announces how a job ended, and counts it', async () => {
    const receive = await listen('announcements-test');
    const wanted = new Map([
      [await submit(cloud, 'diagnostic.echo', 1), 'job.succeeded'],
      [await submit(cloud, 'diagnostic.fail', { terminal: true }), 'job.failed'],
    ]);
    for (const id of wanted.keys()) await ended(cloud, id);
    const heard = new Map<string, string>();
    await waitFor('both announcements', async () => {
      for (const event of await receive()) heard.set(event.detail.jobId, event['detail-type']);
      return [...wanted].every(([id, type]) => heard.get(id) === type) || undefined;
    });
    await waitFor('the counts', async () => {
      const { lanes } = (await cloud.http.get('/v1/stats')).body;
      const failed = lanes.find(({ kind }: { kind: string }) => kind === 'diagnostic.fail');
      return (failed?.counts.failed ?? 0) > 0 || undefined;
    });
  });
});
