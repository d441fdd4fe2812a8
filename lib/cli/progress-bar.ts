// The line that is drawn again while a job is watched; where there is no terminal, a line for each change.
import { SingleBar } from 'cli-progress';
import { type Io, paint, statusStyle } from './io.ts';
import { type JobText, progressText } from './job-text.ts';
import { clean } from './table.ts';

export interface LiveLine {
  show(job: JobText): void;
  stop(): void;
}

export const liveLine = (io: Io): LiveLine => (io.isLive ? barOf(io) : linesOf(io));

function linesOf(io: Io): LiveLine {
  let last = '';
  return {
    show: (job) => {
      const line = [job.status, job.waiting?.reason, job.stage, progressText(job)].filter(Boolean).join(' · ');
      if (line !== last) io.err(`${clean(line)}\n`);
      last = line;
    },
    stop: () => undefined,
  };
}

const BAR = 24;

function barOf(io: Io): LiveLine {
  const bar = new SingleBar({
    format: '{status} {bar} {share} {rest}',
    barsize: BAR,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    gracefulExit: false,
    fps: 10,
    linewrap: false,
  });
  bar.start(1, 0, { status: '', share: '', rest: '' });
  return {
    show: (job) => {
      const { done, total } = job.progress ?? { done: 0, total: 0 };
      bar.setTotal(Math.max(total, 1));
      bar.update(total > 0 ? Math.min(done, total) : 0, {
        status: paint(io, statusStyle(job.status), job.status),
        share: total > 0 ? `${Math.floor((100 * done) / total)} %` : done > 0 ? String(done) : '',
        rest: clean([job.waiting?.detail, job.stage, job.progress?.note].filter(Boolean).join(' · ')),
      });
      bar.render();
    },
    stop: () => bar.stop(),
  };
}
