import { describe, expect, it } from 'vitest';
import { benchAsked, benchCommand, parts } from '../../../bench/support/options.ts';

const command = () =>
  benchCommand()
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
    .exitOverride();
const asked = (...args: readonly string[]) => benchAsked(command().parse(args, { from: 'user' }));

describe('npm run bench', () => {
  it('runs every part where none is named, with the rows that the store of the sweep bears', () => {
    const sizes = [20, 100, 1000];
    expect(asked()).toEqual({ only: undefined, megabytes: 300, sizes, rows: 1_000_000, cloud: false });
    expect(asked('--only', 'sweep', '--cloud')).toMatchObject({ only: 'sweep', rows: 100_000, cloud: true });
    expect(asked('sweep', '--cloud', '--rows', '500')).toMatchObject({ only: 'sweep', rows: 500 });
    expect(asked('ingest')).toMatchObject({ only: 'ingest', sizes });
    expect(asked('ingest', '--megabytes', '5')).toMatchObject({ only: 'ingest', sizes: [5] });
  });

  it.each([
    [['--only', 'nothing'], /Allowed choices are csv, ingest, stack, cold, sweep/],
    [['--cloud'], /--only sweep/],
    [['--only', 'csv', '--cloud'], /--only sweep/],
    [['--rows', 'many'], /whole number/],
    [['--rows', '99'], /from 100/],
    [['--megabytes', '0'], /from 1/],
    [['--fast'], /--fast/],
    [['nothing'], /Allowed choices are csv, ingest, stack, cold, sweep/],
    [['sweep', 'csv'], /too many arguments/],
  ])('does not understand %j', (args, why) => {
    expect(() => asked(...args)).toThrow(why);
  });

  it('names every part in its help', () => {
    const help = command().helpInformation();
    for (const part of parts) expect(help).toContain(`"${part}"`);
  });
});
