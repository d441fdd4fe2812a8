// The side rules of what a claim must pass: slots, rates, flows and guards. A rule without effects only tests, in the transaction that
// claims or parks a job.
import type { Guard, Rule } from '../../rule/rule.ts';
import { sideRule } from '../side/side-rule.ts';

/** More of a key's places are free than none. */
const placeLeft = { anyOf: [[['held', 'absent']], [['held', '<', ':limit']]] } as const satisfies Guard;
const flowPaused = ['state', '=', 'paused'] as const satisfies Guard;
/** Of a pause: how many steps were granted, and how many of them drawn. Both only rise. */
const noStepLeft = {
  anyOf: [[['granted', 'absent']], [['drawn', '>=', { attribute: 'granted' }]]],
} as const satisfies Guard;
const stepLeft = {
  anyOf: [
    [
      ['drawn', 'absent'],
      ['granted', 'exists'],
    ],
    [['drawn', '<', { attribute: 'granted' }]],
  ],
} as const satisfies Guard;
/** Each change sets a later `since`, so that no late copy of one applies. */
const sinceRead = { anyOf: [[['since', 'absent']], [['since', '=', ':sinceRead']]] } as const satisfies Guard;

export const gateRules = {
  // Slots: the counter of a key, moved in one transaction with the row of a holder
  'take-slot': sideRule('Takes one of the places of a key.', [placeLeft], [{ add: 'held', by: 1 }]),
  'give-slot': sideRule('Gives a place back.', [['held', '>=', 1]], [{ add: 'held', by: -1 }]),
  'slots-full': sideRule('Only tests that every place of a key is taken.', [['held', '>=', ':limit']], []),
  look: sideRule(
    'The first of those that a key holds back to be due looks again for all of them.',
    [{ anyOf: [[['lookedAt', 'absent']], [['lookedAt', '<=', ':before']]] }],
    [
      { set: 'lookedAt', to: ':now' },
      { set: 'looker', to: ':looker' },
      { set: 'expiresAt', to: ':expiresAt' },
    ],
  ),
  'looked-to': sideRule('Where the next look goes on.', [], [{ setOrRemove: 'cursor', to: ':cursor?' }]),

  // Rates: a bucket, read and then moved by whoever read it last
  'move-bucket': sideRule(
    'Draws or reserves a token of a rate.',
    [{ anyOf: [[['moves', 'absent']], [['moves', '=', ':moves']]] }],
    [{ assign: ':fields' }, { add: 'moves', by: 1 }],
  ),

  // Flows
  'set-flow': sideRule(
    'Pauses, resumes, disables or enables a flow, and makes its row if no job has named it yet; steps are of one pause.',
    [sinceRead],
    [
      { set: 'state', to: ':state' },
      { set: 'made', to: ':now' },
      { set: 'since', to: ':now' },
      { setOrRemove: 'reason', to: ':reason?' },
      { remove: 'granted' },
      { remove: 'drawn' },
    ],
  ),
  'flow-open': sideRule(
    'Only tests that a flow lets work through.',
    [{ anyOf: [[['state', 'absent']], [['state', '=', 'active']]] }],
    [],
  ),
  'flow-shut': sideRule('Only tests that a flow is paused and has no token to step.', [flowPaused, noStepLeft], []),
  'flow-is': sideRule('Only tests the state of a flow.', [['state', '=', ':state']], []),
  'grant-step': sideRule(
    'A paused flow lets one more claim through.',
    [
      flowPaused,
      ['since', '=', ':sinceRead'],
      { anyOf: [[['granted', 'absent']], [['granted', '=', ':grantedRead']]] },
    ],
    [
      { add: 'granted', by: 1 },
      { set: 'stepId', to: ':stepId' },
    ],
  ),
  'draw-step': sideRule('A claim draws a step.', [flowPaused, stepLeft], [{ add: 'drawn', by: 1 }]),

  // Guards: the value that delayed work was submitted under
  'set-guard': sideRule(
    'A guard moves on.',
    [sinceRead],
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
