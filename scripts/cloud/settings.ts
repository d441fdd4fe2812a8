// What the local cloud is made of: one place for the emulator's version, the folders, the ports and the credentials.
import { delimiter, join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');
export const emulatorVersion = '1.5.33';
export const emulatorImage = `ministackorg/ministack:${emulatorVersion}`;
/** Whatever the checkout can make again; git ignores it. */
export const cacheFolder = join(root, '.cache');
/** What a running instance keeps and tells; git ignores it. */
export const stateFolder = join(root, '.millrace');
export const region = 'us-east-1';
export const account = '000000000000';
export const defaultPorts = { cloud: 4610, dev: 4620 } as const;

/** Says one line of what is being done. */
export type Say = (line: string) => void;

/**
 * The environment in which AWS SDKs, the CDK and the AWS command speak to `url` and to nothing else: no profile or shared
 * file of the user is read, and the pinned Node comes first in PATH.
 */
export function cloudEnvironment(url: string, from = process.env): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => !name.startsWith('AWS_') && !name.startsWith('CDK_'));
  return {
    ...Object.fromEntries(kept),
    AWS_ACCESS_KEY_ID: from['AWS_ENDPOINT_URL'] === url ? (from['AWS_ACCESS_KEY_ID'] ?? 'test') : 'test',
    AWS_SECRET_ACCESS_KEY: from['AWS_ENDPOINT_URL'] === url ? (from['AWS_SECRET_ACCESS_KEY'] ?? 'test') : 'test',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_DEFAULT_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ENDPOINT_URL: url,
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: region,
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    PATH: [join(root, 'node_modules/.bin'), from['PATH']].join(delimiter),
  };
}
