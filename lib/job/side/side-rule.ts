// The form that the rules of side rows share: they make the row where there is none, and raise no version.
export const sideRule = <const About extends string, const When, const Then>(about: About, when: When, then: Then) =>
  ({ about, from: [], when, then, quiet: true, ownedBy: [] }) as const;
