import { resolve } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { commandLine, kindsOption, portOption, wholeFrom } from '../../../scripts/command-line.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const command = () =>
  commandLine('some', 'Does something.')
    .addOption(portOption(4610))
    .addOption(kindsOption())
    .option('--runs <number>', 'how many', wholeFrom(1), 5)
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .exitOverride();

const asked = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return command().parse(args, { from: 'user' }).opts();
};

describe('the options of a script', () => {
  it.each([
    [['--port', '5001'], {}, 5001],
    [['--port=5002'], { MILLRACE_PORT: '5003' }, 5002],
    [['--runs', '1'], { MILLRACE_PORT: '5003' }, 5003],
    [[], {}, 4610],
  ])('take the port from the option, else the variable, else the default (%j %j)', (args, environment, port) => {
    expect(asked(args, environment)).toMatchObject({ port });
  });

  it.each([
    [['--kinds', 'a/kinds.ts'], {}, resolve('a/kinds.ts')],
    [['--kinds=/b/a=b.ts'], { MILLRACE_KINDS: 'c.ts' }, '/b/a=b.ts'],
    [['--port', '5003'], { MILLRACE_KINDS: 'c.ts' }, resolve('c.ts')],
    [[], {}, undefined],
  ])('take the file of own kinds from the option, else the variable, else none (%j %j)', (args, environment, file) => {
    expect(asked(args, environment)['kinds']).toBe(file);
  });

  it.each([
    '--port=0',
    '--port=65536',
    '--port=http',
    '--port=',
    '--port=12.5',
    '--kinds=',
    '--runs=0',
    '--runs=-1',
    '--runs=1e3',
  ])('refuse %s', (option) => {
    expect(() => asked([option])).toThrow(/It is not a (whole )?number from 1|It names no file/);
  });

  it.each([[['--prot', '1']], [['--kinds']], [['leftover']]])('refuse what they do not know (%j)', (args) => {
    expect(() => asked(args)).toThrow(/unknown option|argument missing|too many arguments/);
  });
});

describe('a script', () => {
  it.each([
    [['--help'], 0],
    [['--prot', '1'], 2],
  ])('exits at once for %j with %i', (args, code) => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((given) => {
      throw new Error(`exit ${String(given)}`);
    });
    const quiet = commandLine('some', 'Does something.').configureOutput({
      writeErr: () => undefined,
      writeOut: () => undefined,
    });
    expect(() => quiet.parse(args, { from: 'user' })).toThrow(`exit ${code}`);
    exit.mockRestore();
  });
});
