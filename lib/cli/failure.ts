// How the command ends. docs/cli.md lists the codes.
export const exitCodes = {
  ok: 0,
  /** The service refused, or the job that was watched did not succeed. */
  failed: 1,
  usage: 2,
  /** Nothing answers at the URL. */
  unreachable: 3,
  /** The key is missing, unknown, or lacks a scope. */
  denied: 4,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What the operator is told, and how the command ends. */
export class CliFailure extends Error {
  override readonly name = 'CliFailure';
  readonly exitCode: ExitCode;
  /** What to do next. */
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
