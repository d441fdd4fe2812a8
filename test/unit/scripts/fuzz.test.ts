import { describe, expect, it } from 'vitest';
import type { Done } from '../../../scripts/fuzz/child.ts';
import { diceOf } from '../../../scripts/fuzz/dice.ts';
import { fuzzOnce } from '../../../scripts/fuzz/host.ts';
import { drawUpload, inputOf, readSeeds } from '../../../scripts/fuzz/inputs.ts';
import { judgeRequest, judgeUpload } from '../../../scripts/fuzz/laws.ts';
import { leakIn } from '../../../scripts/fuzz/leaks.ts';
import type { Answer, Body, FuzzWorld } from '../../../scripts/fuzz/world.ts';

describe('npm run fuzz', () => {
  it('breaks no law in a few runs, and its process ends without a trace', async () => {
    const done: Done[] = [];
    const { end, broken } = await fuzzOnce({ seed: 20_261_130, from: 0, runs: 50, atOnce: 4 }, (one) => {
      done.push(one);
      return true;
    });
    expect(done.filter((one) => one.broken !== undefined)).toEqual([]);
    expect([end, broken, done.length]).toEqual(['done', [], 50]);
    expect(new Set(done.map(({ what }) => what))).toEqual(new Set(['upload', 'request']));
  }, 120_000);

  it('draws the same input for the same seed and run, and mostly another for another', () => {
    const seeds = readSeeds();
    const drawn = (seed: number, run: number) => inputOf(diceOf(seed, run), seeds, ['ds_x']);
    expect(drawn(7, 3)).toEqual(drawn(7, 3));
    const names = Array.from({ length: 40 }, (_, run) => JSON.stringify(drawn(7, run)));
    expect(new Set(names).size).toBeGreaterThan(35);
  });
});

/** A service that gives these answers, by the start of the path. */
function worldOf(answers: Readonly<Record<string, Body>>, status = 200): FuzzWorld {
  const answerOf = (path: string): Answer => {
    const [, body] = Object.entries(answers).find(([start]) => path.includes(start)) ?? ['', {}];
    return { status, type: status < 400 ? 'application/json' : 'application/problem+json', body };
  };
  return {
    send: async (_of, _method, path) => answerOf(path),
    errors: () => [],
    [Symbol.asyncDispose]: async () => undefined,
  };
}

describe('the laws of a run', () => {
  const upload = drawUpload(diceOf(1, 1), readSeeds());
  const request = { kind: 'request', method: 'GET', path: '/v1/x', headers: {}, body: undefined } as const;
  const judged = async (answers: Readonly<Record<string, Body>>) =>
    (await judgeUpload(worldOf(answers), upload, 1)).broken;
  const failed = { id: 'job_1', status: 'failed', error: { code: 'PARSE_ERROR' } };
  const table = { tableName: 't', rowCount: 2 };
  const succeeded = { id: 'job_1', status: 'succeeded', result: { tables: [table] } };

  it('see a 5xx, and a code that is not in the catalogue', async () => {
    expect((await judgeRequest(worldOf({ x: { code: 'INTERNAL' } }, 500), request)).broken).toContain('500');
    expect((await judgeRequest(worldOf({ x: { code: 'NO_SUCH' } }, 422), request)).broken).toContain('catalogue');
    expect(await judgeRequest(worldOf({ x: { code: 'NOT_FOUND' } }, 404), request)).toEqual({ outcome: 'NOT_FOUND' });
  });

  it('see a failed job whose table shows, and one that failed for a reason of ours', async () => {
    expect(await judged({ '/tables': { data: [] }, '/jobs': failed })).toBeUndefined();
    expect(await judged({ '/tables': { data: [{ name: 't' }] }, '/jobs': failed })).toContain('1 tables show');
    const ours = { ...failed, error: { code: 'INTERNAL' } };
    expect(await judged({ '/tables': { data: [] }, '/jobs': ours })).toContain('INTERNAL');
  });

  it('see a table that is not whole, one that is missing, and a job that is tried again', async () => {
    const shown = { '/tables': { data: [{ name: 't' }] }, '/jobs': succeeded };
    expect(await judged({ ...shown, '/query': { rows: [['2', '2']] } })).toBeUndefined();
    expect(await judged({ ...shown, '/query': { rows: [['1', '1']] } })).toContain('2 rows, a query finds 1');
    expect(await judged({ '/tables': { data: [] }, '/jobs': succeeded })).toContain('the job gave t');
    expect(await judged({ '/jobs': { status: 'queued', attempts: 1 } })).toContain('tried again');
  });

  it('see memory and handles that grow with the runs, and no leak where pools fill', () => {
    const held = (resident: (run: number) => number, handles: (run: number) => number) =>
      Array.from({ length: 1000 }, (_, run) => ({ resident: resident(run), handles: handles(run) }));
    const mib = 2 ** 20;
    expect(
      leakIn(
        held(
          (run) => Math.min(run, 100) * mib,
          () => 40,
        ),
      ),
    ).toEqual([]);
    expect(
      leakIn(
        held(
          (run) => run * mib,
          () => 40,
        ),
      ),
    ).toEqual([expect.stringContaining('memory grew')]);
    expect(
      leakIn(
        held(
          () => 300 * mib,
          (run) => run,
        ),
      ),
    ).toEqual([expect.stringContaining('handles grew')]);
  });
});
