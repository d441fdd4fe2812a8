import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { faultCatalogue } from '../../lib/core/fault.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/failure-modes.md'), 'utf8');
const quoted = [...page.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

it('the page of failure modes names only codes of the catalogue, and every code that a run can end with', () => {
  const codes = new Set(quoted.filter((text) => /^[A-Z]+(_[A-Z]+)*$/.test(text)));
  expect([...codes].filter((code) => !(code in faultCatalogue))).toEqual([]);
  const ends = [
    'HANDLER_FAILED',
    'HANDLER_TERMINAL',
    'HANDLER_ESCAPED',
    'INPUT_UNREADABLE',
    'RESULT_INVALID',
    'CRASHED',
  ];
  const limits = ['TIMED_OUT', 'DEADLINE_EXCEEDED', 'OUT_OF_MEMORY', 'STAGE_UNKNOWN', 'LIMIT_EXCEEDED', 'CANCELLED'];
  expect([...ends, ...limits].filter((code) => !codes.has(code))).toEqual([]);
});

it('the page of failure modes names tests that are there', () => {
  const files = quoted.filter((text) => text.startsWith('test/'));
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
