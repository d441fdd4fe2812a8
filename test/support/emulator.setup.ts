// For the contract tests: a bare emulator, unless the SDK's own variables name another endpoint for every service.
import type { TestProject } from 'vitest/node';
import { lendEmulator } from './shared-cloud.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The emulator's endpoint; undefined where the environment names all the endpoints. */
    emulator: string | undefined;
  }
}

const services = ['DYNAMODB', 'SQS', 'S3'];
const isSet = (name: string) => (process.env[name] ?? '') !== '';

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (isSet('AWS_ENDPOINT_URL') || services.every((service) => isSet(`AWS_ENDPOINT_URL_${service}`))) {
    project.provide('emulator', undefined);
    return async () => undefined;
  }
  const { value, release } = await lendEmulator();
  project.provide('emulator', value.url);
  return release;
}
