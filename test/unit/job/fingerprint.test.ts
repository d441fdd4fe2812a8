import { describe, expect, it } from 'vitest';
import { fingerprintOf, normalised } from '../../../lib/job/dead/fingerprint.ts';
import { jobError } from '../../../lib/job/run/outcome.ts';

const of = (detail: string, { kind = 'echo', code = 'HANDLER_FAILED', stage = '' } = {}) =>
  fingerprintOf(kind, jobError(code, detail, true, stage === '' ? undefined : stage));

describe('a fingerprint', () => {
  it.each([
    ['numbers', 'row 17 of 2000 is -1.5e3', 'row 9 of 12,000 is +2'],
    ['ids', 'job_01HF7YAT00AAAAAAAAAAAAAAAA is gone', 'job_01HF7YAT00BBBBBBBBBBBBBBBB is gone'],
    ['UUIDs', 'request 1b4e28ba-2fa1-11d2-883f-0016d3cca427', 'request ffffffff-2fa1-11d2-883f-0016d3cca420'],
    ['long tokens', 'token eyJhbGciOiJIUzI1NiJ9 refused', 'token eyJ0eXAiOiJKV1Qi12 refused'],
    ['hexadecimals', 'at 0x7fff, sha deadbeef01', 'at 0x12, sha 0123456789'],
    ['quoted parts', "no column 'age' in “people”", "no column 'the name' in “a b”"],
    ['a quote within quotes', `no "it's" here`, 'no "x" here'],
    ['paths', 'cannot open /tmp/a/b.csv', 'cannot open /var/c-1.txt'],
    ['keys of objects', 'no t1/main/jobs/a/1/x.json', 'no t2/other/jobs/b/2/y.json'],
    ['addresses', 'GET https://a.example/x?y=1 answered', 'GET http://b.example answered'],
    ['times', 'since 2025-01-31T12:59:00.5Z', 'since 2024-02-29 01:00'],
    ['white space', 'a\n b', 'a b'],
  ])('is the same for other %s', (_, one, another) => {
    expect(of(one)).toBe(of(another));
  });

  it.each([
    ['message', 'connection reset', 'connection refused'],
    ['message with an apostrophe', "it doesn't fit, it can't", "it doesn't start, it can't"],
  ])('differs by %s', (_, one, another) => {
    expect(of(one)).not.toBe(of(another));
  });

  it('differs by code, kind and stage', () => {
    const all = [of('x'), of('x', { kind: 'other' }), of('x', { code: 'CRASHED' }), of('x', { stage: 'parse' })];
    expect(new Set(all).size).toBe(4);
  });

  it('is what it was when rows were stored with it', () => {
    expect(of('row 17 is bad')).toMatch(/^[0-9a-f]{16}$/);
    expect(of('row 17 is bad')).toBe('c169d734fb8ad4bf');
  });

  it('does not depend on where a long message was cut', () => {
    const long = 'word '.repeat(60);
    expect(of(`${long} one end`)).toBe(of(`${long} another`));
    expect(normalised('x '.repeat(5000)).length).toBeLessThanOrEqual(200);
  });
});
