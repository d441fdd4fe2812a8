// One run of the command: reads its arguments, does what they say, and answers the exit code.
import { CommanderError, type Command } from 'commander';
import * as z from 'zod';
import { contextOf, type Outside } from './context.ts';
import { CliFailure, type ExitCode, exitCodes } from './failure.ts';
import { paint } from './io.ts';
import { createProgram } from './program.ts';

/** `args` without the interpreter and the script. Never throws for what an operator may meet. */
export async function run(args: readonly string[], outside: Outside): Promise<ExitCode> {
  const { io } = outside;
  let code: ExitCode = exitCodes.ok;
  const fail = (): void => {
    code = exitCodes.failed;
  };
  const program = createProgram((globals) => contextOf(outside, globals, fail));
  for (const command of [program, ...below(program)])
    command.exitOverride().configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      getOutHelpWidth: () => io.columns ?? 100,
      getErrHelpWidth: () => io.columns ?? 100,
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.color,
    });
  try {
    await program.parseAsync(args, { from: 'user' });
    return code;
  } catch (thrown) {
    return explain(outside, thrown);
  }
}

const below = (command: Command): Command[] => command.commands.flatMap((each) => [each, ...below(each)]);

function explain({ io }: Outside, thrown: unknown): ExitCode {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const failure = thrown instanceof z.ZodError ? strange(thrown) : thrown;
  if (!(failure instanceof CliFailure)) throw failure;
  io.err(`${paint(io, 'red', 'error')} ${failure.message}\n`);
  if (failure.hint !== undefined) io.err(`${paint(io, 'dim', failure.hint)}\n`);
  return failure.exitCode;
}

const strange = (error: z.ZodError): CliFailure =>
  new CliFailure(
    exitCodes.failed,
    `The service answered what this command cannot read:\n${z.prettifyError(error)}`,
    'Is it of another version? --json prints it as it is.',
  );
