// Where in a file the values stand that give a column another type than the table's, if they are few.
import { Fault } from '../../core/fault.ts';
import { sameName } from '../reading/names.ts';
import type { Reject, RejectsSummary } from '../rejects/reject.ts';

/** A COLUMN_MISFIT with the first value of its column that the others differ from, where the rejects name it; else what was thrown. */
export function withPlace(thrown: unknown, rejects: Pick<RejectsSummary, 'first'> | undefined): unknown {
  if (!(thrown instanceof Fault) || thrown.code !== 'COLUMN_MISFIT') return thrown;
  const wanted = sameName(String(thrown.extra['column']));
  const odd = rejects?.first.find(
    ({ reason, column }) => reason === 'TYPE_WIDENED' && sameName(column ?? '') === wanted,
  );
  if (odd === undefined) return thrown;
  const { row, line, file, sheet } = odd;
  const detail = `${thrown.detail} The first value that is unlike most of them stands ${placeOf(odd)}.`;
  return new Fault(thrown.code, detail, { cause: thrown, extra: { ...thrown.extra, row, line, file, sheet } });
}

function placeOf({ row, line, file, sheet }: Reject): string {
  const where = line === undefined ? `in row ${row}` : `in row ${row} (line ${line})`;
  const within = file ?? sheet;
  return within === undefined ? where : `${where} of ${JSON.stringify(within)}`;
}
