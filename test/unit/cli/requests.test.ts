// What the command asks of the service, seen by a service that notes it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { run } from '../../../lib/cli/run.ts';
import { systemClock } from '../../../lib/core/time.ts';

const id = `job_${'0'.repeat(26)}`;
const bulk = { dryRun: true, matched: 2, complete: true, sample: [id] };

/** Runs one command; answers its requests as `METHOD path body`, and what it printed. */
async function asked(
  line: readonly string[],
  answer: unknown = { status: 'queued', state: 'active', data: [], ...bulk },
  status = 200,
) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push([request.method, request.url, body].filter(Boolean).join(' '));
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const out: string[] = [];
  const io = {
    out: (line_: string) => void out.push(line_),
    err: (line_: string) => void out.push(line_),
    ...{ columns: undefined, color: false, isLive: false },
    signal: new AbortController().signal,
    readStdin: async () => '"from stdin"',
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const code = await run(line, { io, clock: systemClock, environment: { url, apiKey: 'k', noColor: true } });
  server.close();
  server.closeAllConnections();
  return { code, out: out.join(''), requests };
}

describe('the command', () => {
  it.each([
    [['cancel', id, '--reason', 'no'], `POST /v1/jobs/${id}/cancel {"reason":"no"}`],
    [
      ['redrive', id, '--stage', 'parse', '--input', '-'],
      `POST /v1/jobs/${id}/redrive {"fromStage":"parse","input":"from stdin"}`,
    ],
    [['reclaim', id], `POST /v1/jobs/${id}/reclaim {}`],
    [['signal', id, 'go', '{"a":1}'], `POST /v1/jobs/${id}/signal {"name":"go","payload":{"a":1}}`],
    [['pause', id, '--stage', 'load'], `POST /v1/jobs/${id}/pause {"before":"load"}`],
    [['pause', 'a/b', '--reason', 'leak'], 'POST /v1/flows/a%2Fb/pause {"reason":"leak"}'],
    [['step', 'nightly'], 'POST /v1/flows/nightly/step {}'],
    [['flows', 'disable', 'nightly'], 'POST /v1/flows/nightly/disable {}'],
    [['dead', '-n', '7'], 'GET /v1/dead/groups?limit=7'],
    [['dead', 'abc', '-n', '7'], 'GET /v1/dead/groups/abc/jobs?limit=7'],
    [['workspace', '--json'], 'GET /v1/workspace'],
    [['workspace', 'delete', '--json'], 'DELETE /v1/workspace'],
    [['workspace', 'restore', '--json'], 'POST /v1/workspace/restore'],
    [['workspace', 'count', '--json'], 'POST /v1/workspace/purge {"dryRun":true}'],
    [['workspace', 'purge', 'main', '--json'], 'POST /v1/workspace/purge {"confirm":"main"}'],
    [['workspace', 'purged', id, '--json'], `GET /v1/workspace/purges/${id}`],
    [['schedules', 'resume', 's1'], 'POST /v1/schedules/s1/resume {}'],
    [['discard', id], `POST /v1/dead/discard {"filter":{"ids":["${id}"]},"dryRun":false}`],
    [
      ['dead', 'redrive', '--kind', 'mail', '--dry-run', '-n', '5', '--rate', '2', '--json'],
      'POST /v1/dead/redrive {"filter":{"kind":"mail"},"dryRun":true,"limit":5,"ratePerSecond":2}',
    ],
    [['jobs', 'cancel', '--yes'], 'POST /v1/jobs/cancel {"filter":{},"dryRun":false}'],
    [['jobs', 'cancel', '--dry-run'], 'POST /v1/jobs/cancel {"filter":{},"dryRun":true}'],
    [
      ['jobs', 'cancel', '--flow', 'nightly', '--until', '2026-01-01', '-n', '5', '--reason', 'no'],
      'POST /v1/jobs/cancel {"filter":{"flow":"nightly","until":"2026-01-01T00:00:00.000Z"},"dryRun":false,"limit":5,"reason":"no"}',
    ],
    [['jobs', '--status', 'failed', '-n', '7'], 'GET /v1/jobs?status=failed&limit=7'],
    [['jobs', 'list', '--kind', 'mail'], 'GET /v1/jobs?kind=mail&limit=30'],
  ])('%j asks for %s', async (line, request) => {
    const { code, requests } = await asked(line);
    expect(requests).toEqual([request]);
    expect(code).toBe(0);
  });

  it('refuses an option that would go unheard', async () => {
    for (const line of [
      ['dead', 'redrive', '--lmit', '5'],
      ['flows', 'pause', 'x', '-n', '5'],
      ['cancel', id, '--force'],
      ['jobs', 'cancel', id],
      ['jobs', 'cancel', '--kind', 'mail', '--rate', '5'],
    ])
      expect(await asked(line)).toMatchObject({ code: 2, requests: [] });
  });

  it('takes the options of all commands before and after the command', async () => {
    for (const line of [
      ['--json', 'stats'],
      ['stats', '--json'],
    ])
      expect((await asked(line)).out).toContain('"matched": 2');
  });

  it('says how many a dry run found, and ends with 1 where some were left', async () => {
    expect((await asked(['dead', 'redrive', '--dry-run'])).out).toBe(`2 would be redriven\n${id}\n`);
    const skipped = [{ id, code: 'CONFLICT', detail: 'moved on' }];
    const left = await asked(['dead', 'discard', '--yes'], { ...bulk, dryRun: false, done: 1, skipped });
    expect([left.code, left.out]).toEqual([1, `1 of 2 done\n${id}  CONFLICT: moved on\n`]);
    const job = await asked(['dead', 'redrive', '--yes'], { ...bulk, dryRun: false, complete: false, jobId: id });
    expect([job.code, job.out]).toEqual([0, `2 or more found; ${id} does it\n`]);
  });

  it('takes every job only where it is told so', async () => {
    for (const line of [
      ['dead', 'redrive'],
      ['dead', 'discard', '-n', '5'],
      ['jobs', 'cancel'],
      ['jobs', 'cancel', '-n', '5', '--reason', 'no'],
    ]) {
      const { code, out, requests } = await asked(line);
      expect([code, requests]).toEqual([2, []]);
      expect(out).toContain('--yes');
    }
    expect((await asked(['jobs', 'cancel', '--kind', 'mail', '--dry-run'])).out).toBe(`2 would be cancelled\n${id}\n`);
  });

  it('says how a workspace stands, and what a purge of it counted', async () => {
    const deleted = { tenant: 'acme', workspace: 'main', state: 'deleted', restorableUntil: '2026-01-31T00:00:00Z' };
    expect((await asked(['workspace'], deleted)).out).toBe(
      'acme/main  deleted, can be restored until 2026-01-31T00:00:00Z\n',
    );
    const counted = { id, status: 'succeeded', result: { dryRun: true, purged: false, datasets: 2, bytes: 12_345 } };
    expect((await asked(['workspace', 'count'], counted)).out).toBe(`${id}  succeeded\n  datasets 2\n  bytes 12,345\n`);
  });

  it('shows what is stuck with who repairs it, and says so where nothing is', async () => {
    const classes = [
      {
        class: 'lost lease',
        repair: 'the sweep reaps it',
        jobs: [{ id, kind: 'mail', since: '2026-01-01T00:00:00Z', next: '2026-01-01T00:01:00Z' }],
      },
      { class: 'lost retry', repair: 'the sweep rings', jobs: [] },
    ];
    expect((await asked(['orphans'], { complete: true, classes })).out).toMatch(
      /lost lease +job_0+ +mail .* the sweep reaps it/,
    );
    expect((await asked(['orphans'], { complete: true, classes: [] })).out).toBe('Nothing is stuck.\n');
  });

  it('lists what it is given beside jobs that the service cannot read', async () => {
    const unreadable = [{ id, code: 'ROW_UNREADABLE', detail: 'Its format is 2.' }];
    const told = `${id}  ROW_UNREADABLE: Its format is 2.\n`;
    expect((await asked(['jobs'], { data: [], nextCursor: null, unreadable })).out).toContain(told);
    const stuck = await asked(['orphans'], { complete: true, classes: [], unreadable });
    expect([stuck.code, stuck.out]).toEqual([0, told]);
    const json = await asked(['jobs', '--json'], { data: [], nextCursor: null, unreadable });
    expect(JSON.parse(json.out).unreadable).toEqual(unreadable);
  });

  it('reads pages until it has as many rows as were asked for', async () => {
    const { requests } = await asked(['flows', '-n', '250'], { data: [], nextCursor: null });
    expect(requests).toEqual(['GET /v1/flows?limit=100']);
  });

  it('shows the whole timeline of a job, and nothing in it that moves the cursor', async () => {
    const evil = 'bad\u001b[2J\nrow';
    const job = {
      ...{ id, kind: 'mail', status: 'queued', version: 3, attempts: 1, maxAttempts: 3, crashes: 0, maxCrashes: 3 },
      ...{ lane: 'default', epoch: 1, correlationId: 'c', createdAt: '2026-01-01T00:00:00Z' },
      waiting: { reason: 'worker', detail: evil, since: '2026-01-01T00:00:00Z', next: '2026-01-01T00:00:45Z' },
      error: { code: 'HANDLER_FAILED', detail: evil },
    };
    const event = { version: 1, rule: 'submit', status: 'queued', epoch: 0, at: '2026-01-01T00:00:00.000Z' };
    const page = Array.from({ length: 100 }, () => event);
    const { out, requests } = await asked(['jobs', id], { ...job, data: page, nextCursor: 'c' });
    expect(requests.filter((request) => request.includes('/events'))).toHaveLength(10);
    expect(out).toContain('There are more than 1000 events');
    expect(out).toContain('HANDLER_FAILED: bad row');
    expect(out).toMatch(/next look +due \d+d ago/);
    expect(out).not.toContain('\u001b');
  });

  it('says what a verb came to: told to stop, so many to start, and which job a run by hand is', async () => {
    const running = { id, status: 'running', cancelRequested: 'no' };
    expect((await asked(['cancel', id], running)).out).toBe(`${id}  running, told to stop\n`);
    expect((await asked(['schedules', 'run', 's1'], { id, status: 'queued' })).out).toBe(`${id}  queued\n`);
    const stepped = { flow: 'nightly', state: 'paused', steps: 2 };
    expect((await asked(['step', 'nightly'], stepped)).out).toBe('nightly  paused, lets 2 start\n');
    expect((await asked(['schedules', 'pause', 's1'], { id: 's1', state: 'paused' })).out).toBe('s1  paused\n');
  });

  it('knows where to look when another server answers, or the key is wrong', async () => {
    const elsewhere = await asked(['stats'], { message: 'Not Found' }, 404);
    expect([elsewhere.code, elsewhere.out]).toEqual([1, expect.stringContaining('MILLRACE_URL')]);
    const problem = { code: 'UNAUTHORIZED', title: 't', detail: 'd', next: 'Send a header.', requestId: 'req_1' };
    const wrongKey = await asked(['stats'], problem, 401);
    expect([wrongKey.code, wrongKey.out]).toEqual([4, expect.stringContaining('MILLRACE_API_KEY')]);
  });

  it('tells what is wrong once, and then what to do', async () => {
    const detail = '#/name: It is no name.';
    const problem = { code: 'VALIDATION_FAILED', title: 't', detail, next: 'Correct it.', requestId: 'req_1' };
    const errors = [{ pointer: '#/name', detail: 'It is no name.' }];
    const { code, out } = await asked(['signal', id, '!'], { ...problem, errors }, 422);
    expect([code, out]).toEqual([1, `error VALIDATION_FAILED: ${detail}\nCorrect it. (request req_1)\n`]);
  });

  it('ends with 1 where it cannot read an answer', async () => {
    const { code, out } = await asked(['orphans'], { nothing: 'known' });
    expect([code, out]).toEqual([1, expect.stringContaining('cannot read')]);
  });
});
