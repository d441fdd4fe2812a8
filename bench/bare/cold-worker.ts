// The baseline of the cold start of `worker`: as for `api`, with Step Functions, and the second client of SQS that gives messages back.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const patience = { maxAttempts: 4, requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 } } as const;
const clients = [
  DynamoDBDocumentClient.from(new DynamoDBClient(patience)),
  new S3Client(patience),
  new SQSClient({ ...patience, useQueueUrlAsEndpoint: false }),
  new SQSClient({ ...patience, useQueueUrlAsEndpoint: false }),
  new SFNClient(patience),
];

export const handler = async (): Promise<number> => clients.length;
