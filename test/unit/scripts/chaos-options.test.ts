import { describe, expect, it } from 'vitest';
import { chaosAsked, chaosCommand } from '../../../scripts/chaos/options.ts';

const asked = (...args: readonly string[]) =>
  chaosAsked(
    chaosCommand()
      .configureOutput({ writeErr: () => undefined })
      .exitOverride()
      .parse(args, { from: 'user' }),
    7,
  );

describe('npm run chaos', () => {
  it('does both parts where none is named, or both are', () => {
    const both = { jobs: 2000, seed: 7, cloud: true, embedded: true };
    expect(asked()).toEqual(both);
    expect(asked('--cloud', '--embedded')).toEqual(both);
    expect(asked('--cloud', '--jobs', '100', '--seed', '5')).toEqual({ ...both, jobs: 100, seed: 5, embedded: false });
    expect(asked('--embedded')).toEqual({ ...both, cloud: false });
  });

  it.each([[['--jobs', '0']], [['--jobs', 'all']], [['--seed', '-1']], [['--job', '1']], [['cloud']]])(
    'does not understand %j',
    (args) => {
      expect(() => asked(...args)).toThrow(/^error: /);
    },
  );
});
