import { describe, expect, it } from 'vitest';
import { seededChance, systemChance } from '../../../lib/core/chance.ts';
import { Fault, faultCatalogue } from '../../../lib/core/fault.ts';
import { derivedId, isId, newId } from '../../../lib/core/ids.ts';
import { objectKey } from '../../../lib/core/objects.ts';
import { epochMs, millis, seconds, systemClock, toEpochSeconds } from '../../../lib/core/time.ts';

describe('ids', () => {
  it('are a prefix and 26 characters, and sort by time', () => {
    const [a, b] = [1, 2].map((time) => newId('job', epochMs(time), seededChance(1)));
    expect(isId('job', String(a)) && isId('job', String(b))).toBe(true);
    expect(String(a) < String(b)).toBe(true);
    expect(isId('ds', String(a))).toBe(false);
  });

  it('that are derived depend on every part, and on where a part ends', () => {
    expect(derivedId('job', 'a', 'b')).toBe(derivedId('job', 'a', 'b'));
    expect(new Set([derivedId('job', 'a', 'b'), derivedId('job', 'ab'), derivedId('job', 'b', 'a')]).size).toBe(3);
    expect(isId('job', String(derivedId('job', 'a')))).toBe(true);
  });
});

describe('chance', () => {
  it('lies in [0, 1), and repeats from a seed only', () => {
    const draw = (seed: number) => Array.from({ length: 100 }, seededChance(seed).next);
    expect(draw(1)).toEqual(draw(1));
    expect(draw(1)).not.toEqual(draw(2));
    for (const drawn of [...draw(3), systemChance.next()]) expect(drawn >= 0 && drawn < 1).toBe(true);
  });
});

describe('object keys', () => {
  it.each(['', '.', '..', 'a/b', 'a\\b', 'a\nb'])('refuse the part %j, which could climb out of its place', (part) => {
    expect(() => objectKey('tenant', part)).toThrow(TypeError);
  });

  it('join their parts', () => {
    expect(objectKey('a', 1, 'c.json')).toBe('a/1/c.json');
  });
});

describe('time', () => {
  it('in seconds is never before the time it stands for', () => {
    expect(toEpochSeconds(epochMs(1001))).toBe(2);
    expect(seconds(2)).toBe(2000);
  });

  it('sleeps no longer than its signal allows', async () => {
    const abort = new AbortController();
    const slept = systemClock.sleep(seconds(600), abort.signal);
    abort.abort();
    await slept;
    await systemClock.sleep(seconds(600), abort.signal);
    await systemClock.sleep(millis(1));
  });
});

describe('the catalogue of faults', () => {
  it.each(Object.entries(faultCatalogue))('%s has a status and two sentences', (code, entry) => {
    expect(entry.status).toBeGreaterThanOrEqual(400);
    expect(entry.title).toMatch(/^[A-Z].*\.$/);
    expect(entry.next).toMatch(/^[A-Z].*\.$/);
    expect(new Fault(code as keyof typeof faultCatalogue, 'why')).toMatchObject({
      code,
      detail: 'why',
      status: entry.status,
    });
  });
});
