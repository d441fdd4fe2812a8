// `npm run key -- --table <name>`: makes an API key with the AWS credentials of the environment, and prints it once.
import { Option } from 'commander';
import { asError } from '../lib/core/check.ts';
import type { ApiScope } from '../lib/http/keys.ts';
import { makeApiKey } from './cloud/api-key.ts';
import { commandLine, scopesOption } from './command-line.ts';

const asked = commandLine('key', 'Makes an API key with the AWS credentials of the environment, and prints it once.')
  .addOption(
    new Option('--table <name>', 'the table; cdk deploy prints it as the output TableName')
      .env('TABLE_NAME')
      .makeOptionMandatory(),
  )
  .option('--name <text>', 'for people: what the key is for', 'by npm run key')
  .option('--tenant <id>', 'whose data the key opens; default: "default"')
  .option('--workspace <id>', 'the part of it; default: "default"')
  .addOption(scopesOption())
  .addHelpText(
    'after',
    '\nRegion, endpoint and profile are those of the AWS SDK: AWS_REGION, AWS_ENDPOINT_URL, AWS_PROFILE.',
  )
  .parse()
  .opts<{ table: string; name: string; tenant?: string; workspace?: string; scopes?: readonly ApiScope[] }>();

try {
  console.log(await makeApiKey(asked));
} catch (error) {
  console.error(`No key was made: ${asError(error).message}`);
  process.exitCode = 1;
}
