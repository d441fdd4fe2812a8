// A text is worked out once, whatever is asked of it: planning a statement that writes it out at each place takes seconds a column.
import { describe, expect, it } from 'vitest';
import { forcedRung } from '../../../../lib/ingest/typing/forced.ts';
import { typedText } from '../../../../lib/ingest/typing/relation.ts';
import { isMisfit, withSeen } from '../../../../lib/ingest/typing/seen-values.ts';

const numbers = { decimal: '.', signs: ['percent'], sign: '%' } as const;
const table = {
  emptyIsNull: true,
  columns: ['a', 'b'].map((name) => ({ name, family: 'verbatim' as const, numbers })),
};
const share = { index: 1, rung: forcedRung('DECIMAL(9,4)') };
const timesIn = (sql: string, part: string): number => sql.split(part).length - 1;

describe('a column that is judged', () => {
  it('has its text written out once, though two questions are about it', () => {
    const sql = `SELECT ${isMisfit(share)} FROM ${withSeen(table, 'rows', [share, { index: 1 }, share])}`;
    expect(timesIn(sql, typedText(table, 1))).toBe(1);
    expect(timesIn(sql, typedText(table, 0))).toBe(0);
    expect(timesIn(sql, share.rung.value('v_1'))).toBe(1);
  });
});
