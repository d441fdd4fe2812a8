// What commands on a developer's or an operator's machine read from their environment. docs/configuration.md is made of it, and a test finds
// what is read and does not stand here.

interface ToolVariable {
  readonly description: string;
  readonly readBy: string;
  readonly default?: string;
}

export const toolVariables: Readonly<Record<string, ToolVariable>> = {
  MILLRACE_URL: {
    description: 'Where the service answers; `--url` goes before it.',
    readBy: 'the command `millrace`',
    default: 'http://127.0.0.1:4620',
  },
  MILLRACE_API_KEY: { description: 'An API key; `--key` goes before it.', readBy: 'the command `millrace`' },
  NO_COLOR: { description: 'Any text turns colours off.', readBy: 'the command `millrace`' },
  MILLRACE_KINDS: {
    description: 'The file of your own kinds; the flag `kinds` goes before it.',
    readBy: '`cdk deploy`',
  },
  CDK_DEFAULT_ACCOUNT: { description: 'Set by the CDK: the account of the credentials.', readBy: '`cdk deploy`' },
  CDK_DEFAULT_REGION: { description: 'Set by the CDK: the region of the credentials.', readBy: '`cdk deploy`' },
  DESCRIBER: {
    description: 'JSON as of the function’s variable: the model that describes tables.',
    readBy: '`npm run dev`',
    default: 'none',
  },
  EMBEDDER: {
    description: 'JSON as of the function’s variable: the embedding model of search.',
    readBy: '`npm run dev`',
    default: 'none',
  },
  AWS_ENDPOINT_URL: {
    description: 'An emulator that runs already; one is started where it is not set.',
    readBy: '`npm run cloud`, tests',
  },
  AWS_ACCESS_KEY_ID: {
    description: 'Of that emulator.',
    readBy: '`npm run cloud`, tests; the SDK',
    default: 'test',
  },
  AWS_SECRET_ACCESS_KEY: {
    description: 'Of that emulator.',
    readBy: '`npm run cloud`, tests; the SDK',
    default: 'test',
  },
  PATH: { description: 'Where commands are looked for.', readBy: 'all scripts, and processes that queries run in' },
  LD_LIBRARY_PATH: { description: 'Where libraries are looked for.', readBy: 'processes that queries run in' },
  npm_execpath: { description: 'Set by npm: itself.', readBy: '`npm run setup`' },
};
