// The baseline of the cold start of `api`: a handler that does nothing, with the clients of the SDK that the function has.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const patience = { maxAttempts: 4, requestHandler: { connectionTimeout: 2000, requestTimeout: 5000 } } as const;
const clients = [
  DynamoDBDocumentClient.from(new DynamoDBClient(patience)),
  new S3Client(patience),
  new SQSClient({ ...patience, useQueueUrlAsEndpoint: false }),
];

export const handler = async (): Promise<number> => clients.length;
