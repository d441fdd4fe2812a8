// The side rules of schedules. Each change names the serial that it was decided on, so that of two sweeps, or of an edit and a tick,
// one is refused and decides anew.
import { sideRule } from '../side/side-rule.ts';

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
  'create-schedule': sideRule(
    'Makes a schedule where there is none, or in the place of one that was removed, as that was read.',
    [
      {
        anyOf: [
          [['serial', 'absent']],
          [
            ['removed', 'exists'],
            ['serial', '=', ':serialRead?'],
          ],
        ],
      },
    ],
    [
      { assign: ':fields' },
      { set: 'made', to: ':now' },
      { remove: 'removed' },
      { remove: 'expiresAt' },
      { remove: 'lastAt' },
      { remove: 'lastJob' },
    ],
  ),
  'remove-schedule': sideRule(
    'Takes a schedule away, as it was read. A mark stays for a while, so that no late copy of its making brings it back.',
    [
      ['serial', '=', ':serial'],
      ['removed', 'absent'],
    ],
    [
      { set: 'removed', to: true },
      { add: 'serial', by: 1 },
      { remove: 'nextAt' },
      { remove: 'dueAt' },
      { set: 'expiresAt', to: ':expiresAt' },
    ],
  ),
} as const;
