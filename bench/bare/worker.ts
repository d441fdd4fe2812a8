import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { SQSEvent } from 'aws-lambda';

const dynamo = new DynamoDBClient({});

export async function handler(event: SQSEvent): Promise<void> {
  const startedAt = Math.round(performance.timeOrigin + performance.now());
  for (const { body } of event.Records) {
    const { id } = JSON.parse(body) as { id: string };
    const item = { id: { S: id }, startedAt: { N: String(startedAt) } };
    await dynamo.send(new PutItemCommand({ TableName: process.env['TABLE_NAME'], Item: item }));
  }
}
