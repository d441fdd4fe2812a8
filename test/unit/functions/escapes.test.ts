import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { containHandlers, type Exits } from '../../../functions/support/escapes.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { createContainer } from '../../../lib/job/run/contain.ts';

/** What stands in for `process`: the exits it was asked for, and what its own listeners heard. */
function aProcess(listens = true) {
  const emitter = new EventEmitter();
  const seen: string[] = [];
  if (listens) emitter.on('uncaughtException', (thrown: Error) => seen.push(`own ${thrown.message}`));
  const exit = (code: unknown) => {
    seen.push(`exit ${String(code)}`);
  };
  const target = Object.assign(emitter, { exit });
  const contained = containHandlers(target as unknown as Exits, silentLog);
  return { target, seen, contained };
}

describe('what escapes a handler', () => {
  it.each(['uncaughtException', 'unhandledRejection'])(
    'as %s fails its run, and nobody else hears of it',
    async (event) => {
      const { target, seen } = aProcess();
      const [mine, others] = [createContainer(), createContainer()];
      await mine.run(async () => void target.emit(event, new Error('in the background')));
      expect(mine.signal.reason).toMatchObject({ code: 'HANDLER_ESCAPED', retriable: true });
      expect(String(mine.signal.reason)).toContain('in the background');
      expect([others.signal.aborted, seen]).toEqual([false, []]);
    },
  );

  it('from a timer that it started is still its own', async () => {
    const { target, seen } = aProcess();
    const mine = createContainer();
    await mine.run(async () => {
      setTimeout(() => target.emit('uncaughtException', null), 1);
    });
    await new Promise((resolve) => mine.signal.addEventListener('abort', resolve));
    expect(String(mine.signal.reason)).toContain('null was thrown.');
    expect(seen).toEqual([]);
  });

  it('as a call of process.exit throws instead', async () => {
    const { target, seen } = aProcess();
    const mine = createContainer();
    await expect(mine.run(async () => target.exit(3))).rejects.toMatchObject({ code: 'HANDLER_ESCAPED' });
    expect(String(mine.signal.reason)).toContain('process.exit(3)');
    expect(seen).toEqual([]);
  });
});

describe('what escapes anything else', () => {
  it('goes to the listeners that were there before', () => {
    const { target, seen } = aProcess();
    target.emit('uncaughtException', new Error('ours'));
    target.exit(2);
    expect(seen).toEqual(['own ours', 'exit 2']);
  });

  it('ends the process where there were none', () => {
    const { target, seen } = aProcess(false);
    target.emit('unhandledRejection', new Error('ours'));
    expect(seen).toEqual(['exit 1']);
  });

  it('goes where it went before once nothing is contained any more', async () => {
    const { target, seen, contained } = aProcess();
    contained[Symbol.dispose]();
    const mine = createContainer();
    await mine.run(async () => {
      target.emit('uncaughtException', new Error('late'));
      target.exit(4);
    });
    expect([mine.signal.aborted, seen]).toEqual([false, ['own late', 'exit 4']]);
  });
});
