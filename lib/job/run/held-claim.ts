// A claim while it is held: its row as its own commits leave it. Jobs and the stages of pipelines go on from what is committed here.
import { later } from '../../core/time.ts';
import type { Claim } from '../claim.ts';
import type { Engine } from '../engine.ts';
import type { HeldBy, JobRow, Progress } from '../row.ts';
import { writeRule } from '../write.ts';

export interface Commit {
  /** `execution`: the lease is handed on, and this process holds nothing afterwards. */
  readonly heldBy: HeldBy;
  readonly stage?: string | undefined;
  readonly stageOutput?: string | undefined;
  /** JSON; one that is left out is removed. */
  readonly cursor?: string | undefined;
}

export interface HeldClaim {
  /** With the row as the last commit left it: what a settle is decided from. */
  claim(): Claim;
  /** Whether what was committed since the claim differs from what it started with, so that another run would start further on. */
  moved(): boolean;
  /** Kept for the next commit. */
  progress(progress: Progress): void;
  /** One fenced write at a time, in the order of asking. False once the lease is gone, or it was closed. Throws StoreUnavailable. */
  commit(what: Commit): Promise<boolean>;
  /** What is asked for from now on is not written: the run is over. */
  close(): void;
}

type HoldEngine = Pick<Engine, 'store' | 'clock' | 'chance' | 'settings'>;

export function holdClaim(engine: HoldEngine, claim: Claim): HeldClaim {
  let { row } = claim;
  let said: Progress | undefined;
  let open = true;
  let before: Promise<unknown> = Promise.resolve();
  const write = async (what: Commit): Promise<boolean> => {
    if (!open) return false;
    const committed = await writeCommit(engine, { ...claim, row }, what, said);
    if (committed === undefined) open = false;
    else row = committed;
    return committed !== undefined;
  };
  return {
    claim: () => ({ ...claim, row }),
    moved: () => row.cursor !== claim.row.cursor || row.stage !== claim.row.stage,
    progress: (progress) => {
      said = progress;
    },
    commit: (what) => {
      const turn = before.then(() => write(what));
      before = turn.catch(() => undefined);
      return turn;
    },
    close: () => {
      open = false;
    },
  };
}

async function writeCommit(
  engine: HoldEngine,
  { ref, epoch, owner, row }: Claim,
  what: Commit,
  progress: Progress | undefined,
): Promise<JobRow | undefined> {
  const { lease, handOff } = engine.settings;
  const leaseUntil = later(engine.clock.now(), what.heldBy === 'execution' ? handOff : lease);
  const number = { previousNo: row.cursorNo, cursorNo: row.cursorNo + 1 };
  const params = { epoch, owner, ...number, ...what, progress, leaseUntil };
  const written = await writeRule(engine, ref, 'checkpoint', params, lease);
  return written.kind === 'applied' ? written.row : undefined;
}
