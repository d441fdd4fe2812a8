// A profile without what may be somebody's: all of its values, or those that a detector knows.
import type { Manifest } from '../manifest-schema.ts';

type Profile = NonNullable<Manifest['columns'][number]['profile']>;
type Values = Pick<Profile, 'min' | 'max' | 'topValues'>;

const VALUES: ReadonlySet<string> = new Set<keyof Profile>([
  ...([
    'min',
    'max',
    'topValues',
    'mean',
    'deviation',
    'lengths',
    'quantiles',
    'histogram',
    'sampled',
    'patterns',
  ] as const),
]);

/** Counts only: how many values there are, how many differ. */
export function bareProfile<P extends Values>(profile: P): P {
  const counts = Object.entries(profile).filter(([key]) => !VALUES.has(key));
  return { ...(Object.fromEntries(counts) as P), min: null, max: null, topValues: [] };
}

/** The values of a text that are not `personal`: a mailbox in a column of remarks is one all the same. */
export function withoutPersonal<P extends Values>(profile: P, personal: (value: string) => boolean): P {
  const shown = (value: string | null): string | null => (value !== null && personal(value) ? null : value);
  const topValues = profile.topValues.filter(({ value }) => !personal(value));
  return { ...profile, min: shown(profile.min), max: shown(profile.max), topValues };
}
