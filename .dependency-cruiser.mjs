// The rooms and who may enter which. A room of lib imports only rooms that stand above it; adapters implement ports and
// are composed outside lib. test/docs/boundaries.test.ts proves that these rules see the modules, and that they bite.

const rooms = [
  'core',
  'config',
  'rule',
  'job',
  'pipeline',
  'query',
  'ingest',
  'extract',
  'events',
  'http',
  'store',
  'queue',
  'model',
  'telemetry',
  'testing',
  'cli',
];
const adapters = ['store', 'queue', 'model', 'telemetry'];
const composers = ['testing', 'cli'];

const below = rooms.slice(0, -1).map((room, index) => ({
  name: `${room}-looks-up-only`,
  comment: 'A room imports only rooms that stand above it: core first, cli last.',
  severity: 'error',
  from: { path: `^lib/${room}/` },
  to: { path: `^lib/(${rooms.slice(index + 1).join('|')})/` },
}));

const apart = adapters.map((room) => ({
  name: `${room}-is-composed-outside`,
  comment: 'An adapter implements ports; in lib only testing and cli may import it, not another adapter either.',
  severity: 'error',
  from: { path: '^lib/', pathNot: `^lib/(${[room, ...composers].join('|')})/` },
  to: { path: `^lib/${room}/` },
}));

export default {
  forbidden: [
    ...below,
    ...apart,
    {
      name: 'rooms-are-known',
      comment: 'A new room of lib gets its place in the order above.',
      severity: 'error',
      from: {},
      to: { path: '^lib/', pathNot: `^lib/(${rooms.join('|')})/|^lib/millrace\\.ts$` },
    },
    {
      name: 'entry-loads-no-adapter',
      comment:
        'A file of kinds imports `millrace`: it can be loaded where there is no AWS client, and where nothing is installed but zod.',
      severity: 'error',
      from: { path: '^lib/millrace\\.ts$' },
      to: { path: '^lib/(?!(core|config|rule|job|pipeline)/)' },
    },
    {
      name: 'examples-use-the-package',
      comment: 'What an example needs of Millrace it imports as a user does: by the name of the package.',
      severity: 'error',
      from: { path: '^examples/' },
      to: {
        path: '^(lib|functions|infra|scripts|test|bench)/',
        pathNot: '^(lib/millrace|lib/testing/testing|functions/embedded|infra/millrace)\\.ts$',
      },
    },
    {
      name: 'lib-stands-alone',
      severity: 'error',
      from: { path: '^lib/' },
      to: { path: '^(functions|infra|scripts|test|bench|examples|console)/' },
    },
    {
      name: 'functions-compose-production',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: '^(infra|scripts|test|bench|examples|console|lib/(testing|cli))/' },
    },
    {
      name: 'infra-reads-definitions',
      comment:
        'Infra names entry points by path, and reads definitions, routes, settings and the table’s attribute names.',
      severity: 'error',
      from: { path: '^infra/' },
      to: {
        path: '^(lib|functions|scripts|test|bench|examples|console)/',
        pathNot: '^lib/(core|config|rule|job|pipeline|ingest|http)/|^lib/store/table\\.ts$',
      },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'aws-in-adapters',
      comment: 'Only adapters and the operator’s command speak to AWS; the rest speaks to ports.',
      severity: 'error',
      from: { path: '^lib/', pathNot: `^lib/(${[...adapters, ...composers].join('|')})/` },
      to: { path: 'node_modules/@aws-(sdk|lambda-powertools)/' },
    },
    {
      name: 'openapi-stays-out-of-bundles',
      comment: 'The OpenAPI generator more than triples the size of a bundle; it runs when docs are written.',
      severity: 'error',
      from: { path: '^functions/' },
      to: { path: 'node_modules/zod-openapi/', reachable: true },
    },
    {
      name: 'shipped-code-needs-shipped-packages',
      severity: 'error',
      from: { path: '^(lib|functions)/', pathNot: '^lib/testing/' },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: 'node_modules/(@types|zod-openapi)/',
      },
    },
    {
      name: 'everything-resolves',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules/\\.|cdk\\.out)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['millrace-source', 'import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.json', '.d.ts'],
    },
  },
};
