// The operator's command against the same service, in this process: what it prints, and how it ends.
import { expect, it } from 'vitest';
import { run } from '../../lib/cli/run.ts';
import { systemClock } from '../../lib/core/time.ts';
import type { World } from './world.ts';

export function command(world: World): void {
  const millrace = async (line: readonly string[], more: { key?: string; url?: string; stdin?: string } = {}) => {
    const [out, err]: [string[], string[]] = [[], []];
    const { url = world.target.url, key = world.target.apiKey, stdin = '' } = more;
    const io = {
      out: (text: string) => void out.push(text),
      err: (text: string) => void err.push(text),
      ...{ columns: undefined, color: false, isLive: false },
      signal: new AbortController().signal,
      readStdin: async () => stdin,
    };
    const environment = { url, apiKey: key === '' ? undefined : key, noColor: true };
    const code = await run(line, { io, clock: systemClock, environment });
    return { code, out: out.join(''), err: err.join('') };
  };

  it('submits and watches a job to its end, and shows its timeline', async () => {
    const { code, out } = await millrace(['submit', 'diagnostic.echo', '-', '--watch', '--json'], { stdin: '{"a":1}' });
    const job = JSON.parse(out);
    expect([code, job.status, job.result]).toEqual([0, 'succeeded', { a: 1 }]);
    const shown = async () => (await millrace(['jobs', job.id])).out;
    await expect.poll(shown, { timeout: 20_000, interval: 250 }).toMatch(/submit.*\n.*claim.*\n.*succeed/);
    const listed = await millrace([
      'jobs',
      '--kind',
      'diagnostic.echo',
      '--status',
      'succeeded',
      '--since',
      '1h',
      '-n',
      '5',
    ]);
    expect(listed.out).toContain(job.id);
  });

  it('ends with 1 where the job that it watches fails, and says why', async () => {
    const { code, out } = await millrace(['submit', 'diagnostic.fail', '{"terminal":true}', '-w']);
    expect(code).toBe(1);
    expect(out).toMatch(/status +failed[\s\S]*HANDLER_TERMINAL: asked to fail for good/);
  });

  it('says why a job waits, and cancels it; what cannot be is refused by itself', async () => {
    const { out: id } = await millrace(['submit', 'diagnostic.echo', '1', '--delay', '2h']);
    expect((await millrace(['jobs', id.trim()])).out).toMatch(/waiting +time: It starts at/);
    const { code, out } = await millrace(['cancel', id.trim(), `job_${'0'.repeat(26)}`, '--reason', 'not wanted']);
    expect(code).toBe(1);
    expect(out).toMatch(/cancelled\n.*NOT_FOUND/);
  });

  it('cancels every job of a filter, once it was counted', async () => {
    const flow = `cancelled-${world.run}`;
    const submit = ['submit', 'diagnostic.echo', '1', '--delay', '2h', '--flow', flow];
    const ids = [(await millrace(submit)).out.trim(), (await millrace(submit)).out.trim()];
    const counted = await millrace(['jobs', 'cancel', '--flow', flow, '--dry-run']);
    expect([counted.code, counted.out.split('\n')[0]]).toEqual([0, '2 would be cancelled']);
    for (const id of ids) expect(counted.out).toContain(id);
    expect((await millrace(['jobs', 'cancel', '--flow', flow])).out).toBe('2 of 2 done\n');
    expect((await millrace(['jobs', '--flow', flow, '--status', 'cancelled'])).out.match(/job_/g)).toHaveLength(2);
    expect((await millrace(['jobs', 'cancel'])).code).toBe(2);
  });

  it('adds the last hour up', async () => {
    const counted = async () => (await millrace(['stats'])).out;
    await expect.poll(counted, { timeout: 20_000, interval: 500 }).toMatch(/diagnostic\.echo +default +\d+/);
    expect(JSON.parse((await millrace(['stats', '--json'])).out).minutes).toHaveLength(60);
  });

  it.each([
    ['an unknown command', ['jbos'], {}, 2, /unknown command/],
    ['an unknown status', ['jobs', '--status', 'lost'], {}, 2, /Allowed choices/],
    ['input that is no JSON', ['submit', 'diagnostic.echo', '{'], {}, 2, /not JSON/],
    ['no key', ['jobs'], { key: '' }, 2, /No API key/],
    ['a key that is not known', ['jobs'], { key: 'nonsense' }, 4, /UNAUTHORIZED/],
    ['a place where nothing answers', ['jobs'], { url: 'http://127.0.0.1:9' }, 3, /Nothing answers/],
    ['an unknown kind', ['submit', 'nothing'], {}, 1, /UNKNOWN_KIND.*diagnostic\.echo/],
  ] as const)('ends as documented for %s', async (_what, line, more, code, says) => {
    const ended = await millrace(line, more);
    expect([ended.code, ended.out]).toEqual([code, '']);
    expect(ended.err).toMatch(says);
  });

  it('tells its help', async () => {
    expect((await millrace(['--help'])).out).toMatch(/Exit codes/);
    expect((await millrace(['jobs', '--help'])).code).toBe(0);
  });
}
