// `npm run key -- --table <name>`: makes an API key with the AWS credentials of the environment, and prints it once.
import { parseArgs } from 'node:util';
import { makeApiKey } from './cloud/api-key.ts';

const usage = `usage: npm run key -- --table <name> [--name <text>] [--tenant <id>] [--workspace <id>]

  --table      the table; cdk deploy prints it as the output TableName (or set TABLE_NAME)
  --name       for people: what the key is for
  --tenant     whose data the key opens; "default" where it is left out
  --workspace  the part of it; "default" where it is left out

Credentials, region and endpoint are those of the AWS SDK: AWS_PROFILE, AWS_REGION, AWS_ENDPOINT_URL and so on.`;

const text = { type: 'string' } as const;

try {
  const { values } = parseArgs({
    options: { table: text, name: text, tenant: text, workspace: text, help: { type: 'boolean' } },
  });
  const { table = process.env['TABLE_NAME'], name = 'by npm run key', tenant, workspace, help } = values;
  if (help === true || table === undefined) {
    console.error(usage);
    process.exitCode = help === true ? 0 : 2;
  } else {
    const scope = { ...(tenant !== undefined && { tenant }), ...(workspace !== undefined && { workspace }) };
    console.log(await makeApiKey({ table, name, ...scope }));
  }
} catch (error) {
  console.error(`No key was made: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
