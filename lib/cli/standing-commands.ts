// The commands about what stands while jobs come and go: flows, schedules, the workspace.
import type { Command } from 'commander';
import { actOnFlow, actOnSchedule, type FlowVerb } from './commands/act.ts';
import { deleteSchedule, listFlows, listSchedules, putSchedule, showSchedule } from './commands/flows.ts';
import { jsonOf } from './commands/submit.ts';
import { deleteWorkspace, purgeWorkspace, restoreWorkspace, showPurge, showWorkspace } from './commands/workspace.ts';
import { type Limit, limitOption, type On, type Reason, reasonOption } from './options.ts';

export function addFlows(program: Command, on: On): void {
  const flows = program.command('flows').description('flows and their states');
  flows
    .command('list', { isDefault: true })
    .addOption(limitOption())
    .action(on((context, { limit }: Limit) => listFlows(context, limit)));
  const verbs: readonly FlowVerb[] = ['pause', 'resume', 'step', 'disable', 'enable'];
  for (const verb of verbs)
    flows
      .command(verb)
      .argument('<flow>')
      .addOption(reasonOption())
      .action(on((context, flow: string, { reason }: Reason) => actOnFlow(context, verb, flow, { reason })));
}

export function addWorkspace(program: Command, on: On): void {
  const workspace = program.command('workspace').description('the workspace of the key, its deletion and its purge');
  workspace.command('show', { isDefault: true }).action(on((context) => showWorkspace(context)));
  workspace
    .command('delete')
    .description('nothing of it is shown or done from then on; it can be restored for 30 days')
    .action(on((context) => deleteWorkspace(context)));
  workspace.command('restore').action(on((context) => restoreWorkspace(context)));
  workspace
    .command('count')
    .description('what a purge would remove')
    .action(on((context) => purgeWorkspace(context, { dryRun: true })));
  workspace
    .command('purge')
    .description('remove it for good, now, once it is deleted')
    .argument('<name>', 'the name of the workspace, to confirm it')
    .action(on((context, confirm: string) => purgeWorkspace(context, { confirm })));
  workspace
    .command('purged')
    .description('how a purge, or a count, went')
    .argument('<job>')
    .action(on((context, job: string) => showPurge(context, job)));
}

export function addSchedules(program: Command, on: On): void {
  const schedules = program.command('schedules').description('schedules, with their next runs');
  schedules
    .command('list', { isDefault: true })
    .addOption(limitOption())
    .action(on((context, { limit }: Limit) => listSchedules(context, limit)));
  schedules
    .command('show')
    .argument('<id>')
    .action(on((context, id: string) => showSchedule(context, id)));
  schedules
    .command('put')
    .argument('<id>')
    .argument('<schedule>', 'JSON, @file, or -')
    .action(on(async (context, id: string, json: string) => putSchedule(context, id, await jsonOf(context, json))));
  schedules
    .command('delete')
    .argument('<id>')
    .action(on((context, id: string) => deleteSchedule(context, id)));
  for (const verb of ['pause', 'resume', 'run'] as const)
    schedules
      .command(verb)
      .argument('<id>')
      .action(on((context, id: string) => actOnSchedule(context, verb, id)));
}
