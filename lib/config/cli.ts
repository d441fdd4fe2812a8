// What the operator's command reads from its environment, beside its options.
export interface CliEnvironment {
  readonly url?: string | undefined;
  readonly apiKey?: string | undefined;
  /** NO_COLOR (no-color.org): any text but the empty one turns colours off. */
  readonly noColor: boolean;
}

export const readCliEnvironment = (from: NodeJS.ProcessEnv = process.env): CliEnvironment => ({
  url: from['MILLRACE_URL'] || undefined,
  apiKey: from['MILLRACE_API_KEY'] || undefined,
  noColor: (from['NO_COLOR'] ?? '') !== '',
});
