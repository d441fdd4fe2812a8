// For the integration and e2e tests: the whole stack on a local cloud, deployed once a run.
import type { TestProject } from 'vitest/node';
import { lendCloud } from './shared-cloud.ts';

/** What a test needs to reach the deployed stack. */
export interface CloudUnderTest {
  /** The base of the HTTP API, without a slash at the end. */
  readonly url: string;
  readonly apiKey: string;
  /** The endpoint of every AWS service, for SDK clients. */
  readonly endpoint: string;
  /** The stack's outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** The emulator's process; 0 where AWS_ENDPOINT_URL names somebody else's. */
  readonly pid: number;
}

declare module 'vitest' {
  interface ProvidedContext {
    cloud: CloudUnderTest;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { value, release } = await lendCloud();
  const { url, apiKey, endpoint, outputs, pid } = value;
  project.provide('cloud', { url, apiKey, endpoint, outputs, pid });
  return release;
}
