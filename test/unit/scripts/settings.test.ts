import { describe, expect, it } from 'vitest';
import { apiUrl } from '../../../scripts/cloud/deploy.ts';
import { cloudEnvironment } from '../../../scripts/cloud/settings.ts';

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
