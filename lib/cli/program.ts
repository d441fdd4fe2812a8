// The commands and their options. What they do is in commands/; how the command ends is decided in run.ts.
import tab from '@bomb.sh/tab/commander';
import { Command, Option } from 'commander';
import { jobStatuses } from '../job/status.ts';
import { actOn, actOnJobs, type JobVerb, type PauseOptions, signal } from './commands/act.ts';
import { actOnMany, type BulkOptions } from './commands/bulk.ts';
import { listGroup, listGroups } from './commands/dead.ts';
import { listOrphans } from './commands/flows.ts';
import { type JobsOptions, listJobs, showJob } from './commands/jobs.ts';
import { showStats } from './commands/stats.ts';
import { jsonOf, submit, type SubmitOptions } from './commands/submit.ts';
import { watchJob } from './commands/watch.ts';
import type { Context, Globals } from './context.ts';
import { type Limit, limitOption, type On, type Reason, reasonOption, whole } from './options.ts';
import { addFlows, addSchedules, addWorkspace } from './standing-commands.ts';

/** Makes what commands work with, from the options that all of them take. */
export type Open = (globals: Globals) => Context;
const since = () => new Option('--since <time>', 'created since: 15m, 2h, 3d, or ISO 8601');
const until = () => new Option('--until <time>', 'created before');

export function createProgram(open: Open): Command {
  const program = new Command('millrace')
    .description('Looks at the jobs of a Millrace service, and puts them right.')
    .option('--url <url>', 'the service; default: MILLRACE_URL, or http://127.0.0.1:4620')
    .option('--key <key>', 'the API key; default: MILLRACE_API_KEY')
    .option('--json', 'print what the service answered')
    .showHelpAfterError('(millrace --help shows how)')
    .addHelpText('after', helpText);
  const on: On =
    (work) =>
    (...args) =>
      work(open(program.opts<Globals>()), ...args);
  addJobs(program, on);
  addVerbs(program, on);
  addTargets(program, on);
  addSignal(program, on);
  addDead(program, on);
  addFlows(program, on);
  addSchedules(program, on);
  addWorkspace(program, on);
  program
    .command('orphans')
    .description('what is stuck, by class, and who repairs it when')
    .action(on((context) => listOrphans(context)));
  program
    .command('stats')
    .description('the last hour by kind and lane')
    .action(on((context) => showStats(context)));
  tab(program, { completionCommandName: 'completion' });
  return program;
}

const helpText = `
Exit codes: 0 done · 1 the service refused, or the watched job did not succeed
  2 usage · 3 nothing answers · 4 the key is not allowed · 130 interrupted`;

function addJobs(program: Command, on: On): void {
  const jobs = program.command('jobs').description('list jobs, show one, or cancel those that pass a filter');
  jobs
    .command('list', { isDefault: true })
    .description('list jobs, newest first; or show one with its timeline')
    .argument('[job]', 'the id of one')
    .addOption(new Option('--status <status>').choices([...jobStatuses]))
    .option('--kind <kind>')
    .option('--flow <flow>')
    .addOption(new Option('--attempts <count>', 'at least so many failed attempts').argParser(whole))
    .addOption(since())
    .addOption(until())
    .option('--parent <job>', 'children of this job')
    .addOption(limitOption())
    .action(
      on((context, job: string | undefined, options: JobsOptions) =>
        job === undefined ? listJobs(context, options) : showJob(context, job),
      ),
    );
  withFilter(jobs.command('cancel').description('cancel every job that passes and has not ended'), 'created').action(
    on((context, options: BulkOptions) => actOnMany(context, 'cancel', options)),
  );
  program
    .command('submit')
    .description('submit a job')
    .argument('<kind>')
    .argument('[input]', 'JSON, @file, or - for standard input', '{}')
    .option('--delay <time>', 'start after so long, e.g. 15m')
    .option('--not-before <time>', 'start then: ISO 8601')
    .option('--start-by <time>', 'drop it unless it started by then')
    .option('--flow <flow>')
    .addOption(new Option('--lane <lane>').choices(['default', 'due']))
    .option('--dedup-key <key>', 'at most one job that has not ended has it')
    .option('--idempotency-key <key>', 'the same key is the same job')
    .option('--parent <job>', 'the job that it belongs to')
    .option('-w, --watch', 'wait for its end')
    .action(
      on((context, kind: string, input: string, options: SubmitOptions) => submit(context, kind, input, options)),
    );
  program
    .command('watch')
    .description('follow a job until it has ended; exits with 1 unless it succeeded')
    .argument('<job>')
    .action(on((context, job: string) => watchJob(context, job)));
}

function addVerbs(program: Command, on: On): void {
  const verb = (name: JobVerb, about: string): Command =>
    program.command(name).description(about).argument('<job...>', 'ids');
  verb('cancel', 'cancel jobs: at once while they wait, at their next heartbeat while they run')
    .addOption(reasonOption())
    .action(on((context, jobs: string[], { reason }: Reason) => actOnJobs(context, 'cancel', jobs, { reason })));
  verb('redrive', 'give jobs that failed another life')
    .option('--input <json>', 'a new input: JSON, @file, or -')
    .option('--stage <stage>', 'of a pipeline: from this stage')
    .addOption(reasonOption())
    .action(
      on(async (context, jobs: string[], { input, stage, reason }: Reason & { input?: string; stage?: string }) =>
        actOnJobs(context, 'redrive', jobs, {
          ...{ fromStage: stage, reason },
          ...(input !== undefined && { input: await jsonOf(context, input) }),
        }),
      ),
    );
  const discard = program.command('discard').description('list failed jobs no more').argument('<job...>', 'ids');
  discard.action(on((context, ids: string[]) => actOnMany(context, 'discard', { ids })));
  verb('reclaim', 'take running jobs from their workers now').action(
    on((context, jobs: string[]) => actOnJobs(context, 'reclaim', jobs, {})),
  );
}

const targets = [
  ['pause', 'hold a flow, or a pipeline before its next stage'],
  ['resume', 'let a flow, or a pipeline, go on'],
  ['step', 'let one job of a paused flow start, or a pipeline run one stage'],
] as const;

function addTargets(program: Command, on: On): void {
  for (const [name, about] of targets) {
    const command = program
      .command(name)
      .description(about)
      .argument('<target>', 'the id of a job, or the name of a flow')
      .addOption(reasonOption())
      .action(on((context, target: string, how: PauseOptions) => actOn(context, name, target, how)));
    if (name === 'pause') command.option('--stage <stage>', 'of a pipeline: before this stage');
  }
}

function addSignal(program: Command, on: On): void {
  program
    .command('signal')
    .description('tell a job something that it may wait for')
    .argument('<job>')
    .argument('<name>')
    .argument('[payload]', 'JSON, @file, or -')
    .action(
      on(async (context, job: string, name: string, payload?: string) =>
        signal(context, job, name, payload === undefined ? undefined : await jsonOf(context, payload)),
      ),
    );
}

/** `times`: what `--since` and `--until` are of. */
const withFilter = (command: Command, times: 'created' | 'ended'): Command =>
  command
    .option('--group <group>')
    .option('--kind <kind>')
    .option('--code <code>')
    .option('--stage <stage>', 'in which they failed')
    .option('--flow <flow>')
    .option('--since <time>', `${times} since: 15m, 2h, 3d, or ISO 8601`)
    .option('--until <time>', `${times} before`)
    .addOption(reasonOption())
    .option('-y, --yes', 'every job, where no filter is given')
    .option('--dry-run', 'only count them')
    .addOption(new Option('-n, --limit <count>', 'jobs at most').argParser(whole));

function addDead(program: Command, on: On): void {
  const dead = program.command('dead').description('failures by cause, and what becomes of them');
  dead
    .command('list', { isDefault: true })
    .description('failures by cause; with a group, its jobs')
    .argument('[group]')
    .addOption(limitOption())
    .action(
      on((context, group: string | undefined, { limit }: Limit) =>
        group === undefined ? listGroups(context, limit) : listGroup(context, group, limit),
      ),
    );
  for (const verb of ['redrive', 'discard'] as const) {
    const command = withFilter(dead.command(verb).description(`${verb} every failed job that passes`), 'ended');
    if (verb === 'redrive') command.addOption(new Option('--rate <count>', 'jobs a second at most').argParser(whole));
    command.action(on((context, options: BulkOptions) => actOnMany(context, verb, options)));
  }
}
