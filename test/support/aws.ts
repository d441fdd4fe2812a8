// How a test's SDK client reaches the emulator of the run, or the endpoint that the environment names instead.
import { inject } from 'vitest';
import { region } from '../../scripts/cloud/settings.ts';
import type {} from './emulator.setup.ts';

export interface ClientSettings {
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/**
 * Settings for a client of `service` in a contract test. Where a variable of the SDK names the endpoint, the SDK reads it
 * (and the credentials) itself.
 */
export function clientSettings(service: 'DYNAMODB' | 'SQS' | 'S3'): ClientSettings {
  const named = process.env[`AWS_ENDPOINT_URL_${service}`] ?? process.env['AWS_ENDPOINT_URL'] ?? '';
  const endpoint = inject('emulator');
  if (named !== '' || endpoint === undefined) return { region: process.env['AWS_REGION'] ?? region };
  return { region, endpoint, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } };
}
