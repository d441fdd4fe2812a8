// The baseline of a cold start: a handler that does nothing, with the same clients of the SDK that the function makes when it starts.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const clients = [
  DynamoDBDocumentClient.from(new DynamoDBClient({})),
  new S3Client({}),
  new SQSClient({}),
  new SFNClient({}),
];

export const handler = async (): Promise<number> => clients.length;
