// Biome formats; ESLint checks types and the house's own laws, each with the sentence that a reader of the error needs.
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name; only a tool’s configuration file may have a default export.',
};
const noBarrel = {
  selector: 'ExportAllDeclaration',
  message: 'No barrel files: import from the module that defines the thing.',
};
const noCurrentTime = [
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'The current time comes from the Clock that is passed in (lib/core/time.ts).',
  },
  {
    selector: 'CallExpression[callee.name="Date"]',
    message: 'The current time comes from the Clock that is passed in (lib/core/time.ts).',
  },
];
const noExpression = {
  selector:
    'Property[key.name=/^(ConditionExpression|UpdateExpression|KeyConditionExpression|FilterExpression|ProjectionExpression|ConditionCheck|TransactItems|ExpressionAttributeNames|ExpressionAttributeValues)$/]',
  message: 'DynamoDB expressions live in lib/store; job rows are written through the rules (lib/rule).',
};
const noSkippedTest = {
  selector:
    'MemberExpression[object.name=/^(it|test|describe)$/][property.name=/^(skip|only|todo|fails|skipIf|runIf)$/]',
  message: 'No skipped, focused or empty tests.',
};

const time = { object: 'Date', property: 'now', message: 'Take a Clock (lib/core/time.ts).' };
const random = { object: 'Math', property: 'random', message: 'Take a Chance (lib/core/chance.ts).' };
const uuid = { property: 'randomUUID', message: 'Ids come from lib/core/ids.ts, by a Clock and a Chance.' };
const stopwatch = { object: 'performance', property: 'now', message: 'Take a Clock; use monotonic().' };
const environment = { object: 'process', property: 'env', message: 'Settings come from lib/config.' };

const noNamedUuid = {
  name: 'node:crypto',
  importNames: ['randomUUID'],
  message: 'Ids come from lib/core/ids.ts, by a Clock and a Chance.',
};
const noNamedEnvironment = {
  name: 'node:process',
  importNames: ['env'],
  message: 'Settings come from lib/config.',
};

const everywhere = [noDefaultExport, noBarrel, ...noCurrentTime];

export default defineConfig(
  // What is no TypeScript for Node, though it is written like it, is checked by its own compiler.
  { ignores: ['lib/ingest/vectors/assembly'] },
  { ignores: ['node_modules', 'dist', 'cdk.out', '.cache', '.millrace', 'coverage', 'test/**/fixtures'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // Adapters answer promises because the port says so, whether or not they wait for anything.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      eqeqeq: 'error',
      'no-restricted-imports': ['error', { paths: [noNamedUuid] }],
      'no-restricted-properties': ['error', time, random, uuid],
      'no-restricted-syntax': ['error', ...everywhere],
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['lib/**/*.ts', 'functions/**/*.ts', 'infra/**/*.ts'],
    rules: {
      'max-depth': ['error', 2],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
      'no-restricted-imports': ['error', { paths: [noNamedUuid, noNamedEnvironment] }],
      'no-restricted-properties': ['error', time, random, uuid, stopwatch, environment],
      'no-restricted-syntax': ['error', ...everywhere, noExpression],
    },
  },
  {
    files: ['lib/store/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', ...everywhere] },
  },
  {
    files: ['lib/core/**/*.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: [noNamedEnvironment] }],
      'no-restricted-properties': ['error', environment],
      'no-restricted-syntax': ['error', noDefaultExport, noBarrel, noExpression],
    },
  },
  {
    files: ['lib/config/**/*.ts', 'infra/app.ts'],
    rules: {
      'no-restricted-imports': ['error', { paths: [noNamedUuid] }],
      'no-restricted-properties': ['error', time, random, uuid, stopwatch],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-syntax': ['error', ...everywhere, noSkippedTest],
    },
  },
  {
    files: ['*.config.{js,ts}', '.*.mjs'],
    rules: { 'no-restricted-syntax': ['error', noBarrel] },
  },
  {
    // Plain JavaScript that runs before anything is installed; the types of the scripts among it are checked by tsc.
    files: ['**/*.{js,mjs}'],
    extends: [tseslint.configs.disableTypeChecked],
  },
);
