// The side rules of what a claim must pass: slots, rates, flows and guards. A rule without effects only tests, in the transaction that
// claims or parks a job.
import type { Guard, Rule } from '../rule/rule.ts';
import { sideRule } from './side-rule.ts';

/** More of a key's places are free than none. */
const placeLeft = { anyOf: [[['held', 'absent']], [['held', '<', ':limit']]] } as const satisfies Guard;
const flowPaused = ['state', '=', 'paused'] as const satisfies Guard;
const noSteps = { anyOf: [[['steps', 'absent']], [['steps', '<', 1]]] } as const satisfies Guard;
const tokenLeft = ['steps', '>=', 1] as const satisfies Guard;

export const gateRules = {
  // Slots: the counter of a key, moved in one transaction with the row of a holder
  'take-slot': sideRule('Takes one of the places of a key.', [placeLeft], [{ add: 'held', by: 1 }]),
  'give-slot': sideRule('Gives a place back.', [['held', '>=', 1]], [{ add: 'held', by: -1 }]),
  'slots-full': sideRule('Only tests that every place of a key is taken.', [['held', '>=', ':limit']], []),
  audit: sideRule(
    'One of those who look again at what a key holds back goes first, and the others leave it to that one.',
    [{ anyOf: [[['auditedAt', 'absent']], [['auditedAt', '<=', ':before']]] }],
    [
      { set: 'auditedAt', to: ':now' },
      { setOrRemove: 'cursor', to: ':cursor?' },
      { set: 'expiresAt', to: ':expiresAt' },
    ],
  ),
  'audited-to': sideRule('Where the next look goes on.', [], [{ setOrRemove: 'cursor', to: ':cursor?' }]),

  // Rates: a bucket, read and then moved by whoever read it last
  'move-bucket': sideRule(
    'Draws or reserves a token of a rate.',
    [{ anyOf: [[['moves', 'absent']], [['moves', '=', ':moves']]] }],
    [{ assign: ':fields' }, { add: 'moves', by: 1 }],
  ),

  // Flows
  'set-flow': sideRule(
    'Pauses, resumes, disables or enables a flow; tokens to step are of one pause.',
    [],
    [
      { set: 'state', to: ':state' },
      { set: 'since', to: ':now' },
      { setOrRemove: 'reason', to: ':reason?' },
      { remove: 'steps' },
    ],
  ),
  'flow-open': sideRule(
    'Only tests that a flow lets work through.',
    [{ anyOf: [[['state', 'absent']], [['state', '=', 'active']]] }],
    [],
  ),
  'flow-shut': sideRule('Only tests that a flow is paused and has no token to step.', [flowPaused, noSteps], []),
  'flow-is': sideRule('Only tests the state of a flow.', [['state', '=', ':state']], []),
  'add-step': sideRule('A paused flow lets one more claim through.', [flowPaused], [{ add: 'steps', by: 1 }]),
  'draw-step': sideRule('A claim draws a token to step.', [flowPaused, tokenLeft], [{ add: 'steps', by: -1 }]),

  // Guards: the value that delayed work was submitted under
  'set-guard': sideRule(
    'A guard moves on.',
    [],
    [
      { set: 'value', to: ':value' },
      { set: 'since', to: ':now' },
    ],
  ),
  'guard-holds': sideRule(
    'Only tests that a guard has not moved on.',
    [{ anyOf: [[['value', 'absent']], [['value', '=', ':value']]] }],
    [],
  ),
  'guard-is': sideRule('Only tests the value of a guard.', [['value', '=', ':value']], []),
} as const satisfies Record<string, Rule>;
