import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

const sqs = new SQSClient({ useQueueUrlAsEndpoint: false });

export async function handler(event: APIGatewayProxyEventV2) {
  await sqs.send(new SendMessageCommand({ QueueUrl: process.env['QUEUE_URL'], MessageBody: event.body }));
  return { statusCode: 202, body: event.body };
}
