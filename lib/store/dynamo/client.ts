// The table that the store speaks to: a document client over the caller's own client, and a name.
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../core/time.ts';

export interface Table {
  readonly documents: DynamoDBDocumentClient;
  readonly name: string;
  readonly clock: Clock;
}

export const openTable = (client: DynamoDBClient, name: string, clock: Clock): Table => ({
  documents: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  name,
  clock,
});
