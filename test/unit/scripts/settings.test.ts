import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiUrl } from '../../../scripts/cloud/deploy.ts';
import { cloudEnvironment, kindsFrom, portFrom } from '../../../scripts/cloud/settings.ts';

describe('the port', () => {
  it.each([
    [['--port', '5001'], {}, 5001],
    [['--port=5002'], { MILLRACE_PORT: '5003' }, 5002],
    [['--embedded'], { MILLRACE_PORT: '5003' }, 5003],
    [[], {}, 4610],
  ])('is the option, else the variable, else the default (%j %j)', (args, environment, port) => {
    expect(portFrom(args, 4610, environment)).toBe(port);
  });

  it.each(['0', '65536', 'http', '', '12.5', '-1'])('is refused in a sentence when it is "%s"', (text) => {
    expect(() => portFrom([`--port=${text}`], 4610, {})).toThrow(`"${text}" is not`);
  });
});

describe('the file of own kinds', () => {
  it.each([
    [['--kinds', 'a/kinds.ts'], {}, resolve('a/kinds.ts')],
    [['--kinds=/b/kinds.ts'], { MILLRACE_KINDS: 'c.ts' }, '/b/kinds.ts'],
    [['--port', '5003'], { MILLRACE_KINDS: 'c.ts' }, resolve('c.ts')],
    [[], {}, undefined],
  ])('is the option, else the variable, else none (%j %j)', (args, environment, file) => {
    expect(kindsFrom(args, environment)).toBe(file);
  });

  it('is asked for where the option names none', () => {
    expect(() => kindsFrom(['--kinds'], {})).toThrow('--kinds needs a file');
  });
});

describe('the environment of the local cloud', () => {
  it('reads no profile, token or file of the user, and names one endpoint', () => {
    const user = { AWS_PROFILE: 'work', AWS_SESSION_TOKEN: 'x', AWS_ACCESS_KEY_ID: 'real', CDK_DEFAULT_ACCOUNT: '1' };
    const environment = cloudEnvironment('http://127.0.0.1:5001', { ...user, HOME: '/home/me', PATH: '/bin' });
    expect(environment).not.toHaveProperty('AWS_PROFILE');
    expect(environment).not.toHaveProperty('AWS_SESSION_TOKEN');
    expect(environment).not.toHaveProperty('CDK_DEFAULT_ACCOUNT');
    expect(environment).toMatchObject({
      AWS_ACCESS_KEY_ID: 'test',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:5001',
      HOME: '/home/me',
      PATH: expect.stringMatching(/node_modules\/\.bin:\/bin$/),
    });
  });

  it('keeps the credentials for an endpoint that the user named', () => {
    const user = { AWS_ENDPOINT_URL: 'http://other:1', AWS_ACCESS_KEY_ID: 'mine', AWS_SECRET_ACCESS_KEY: 'secret' };
    expect(cloudEnvironment('http://other:1', user)).toMatchObject({
      AWS_ACCESS_KEY_ID: 'mine',
      AWS_SECRET_ACCESS_KEY: 'secret',
    });
  });
});

describe('the API’s address', () => {
  it('is a path of the endpoint, whatever host the stack names', () => {
    const path = 'http://127.0.0.1:5001/_aws/execute-api/a1b2/$default';
    expect(apiUrl('http://127.0.0.1:5001', 'http://a1b2.execute-api.localhost:5001')).toBe(path);
    expect(apiUrl('http://127.0.0.1:5001', 'https://a1b2.execute-api.us-east-1.amazonaws.com')).toBe(path);
  });

  it('is taken as it is when it already is one', () => {
    expect(apiUrl('http://127.0.0.1:5001', 'http://api.local/')).toBe('http://api.local');
  });
});
