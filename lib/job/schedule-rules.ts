// The side rules of schedules. Each change names the serial that it was decided on, so that of two sweeps, or of an edit and a tick,
// one is refused and decides anew.
import { sideRule } from './side-rule.ts';

export const scheduleRules = {
  'change-schedule': sideRule(
    'An edit, a pause, or a run that was started: the schedule moves on.',
    [['serial', '=', ':serial']],
    [
      { assign: ':fields' },
      { setOrRemove: 'nextAt', to: ':nextAt?' },
      { setOrRemove: 'dueAt', to: ':dueAt?' },
      { set: 'ticks', to: 0 },
      { add: 'serial', by: 1 },
    ],
  ),
  'arm-schedule': sideRule(
    'A tick is on its way for the next time; look again if it does not come.',
    [
      ['serial', '=', ':serial'],
      ['ticks', '=', ':ticks'],
    ],
    [
      { set: 'dueAt', to: ':dueAt' },
      { add: 'ticks', by: 1 },
    ],
  ),
  'remove-schedule': {
    ...sideRule('Takes a schedule away, as it was read.', [['serial', '=', ':serial']], []),
    deletes: true,
  },
} as const;
