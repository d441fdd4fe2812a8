import { describe, expect, it } from 'vitest';
import { refOf } from '../../../lib/job/row.ts';
import { changesOf } from '../../../lib/store/stream.ts';
import { eventKey, jobKey, jobOf, listKeyOf } from '../../../lib/store/table.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';

const row = aJobRow();
const asStrings = (key: object) =>
  Object.fromEntries(Object.entries(key).map(([name, value]) => [name, { S: value as string }]));
const keys = jobKey(refOf(row));

describe('changes of a stream event', () => {
  it('hold the job row before and after, without what is the store’s own', () => {
    const image = (status: string) => ({
      ...asStrings(keys),
      status: { S: status },
      epoch: { N: '1700000000000' },
      input: { M: { inline: { S: '{}' } } },
      dueShard: { N: '3' },
      listKey: { S: 'x' },
    });
    const record = {
      SequenceNumber: '42',
      ApproximateCreationDateTime: 1_700_000_000,
      Keys: asStrings(keys),
      OldImage: image('queued'),
      NewImage: image('running'),
    };
    const plain = (status: string) => ({ status, epoch: 1_700_000_000_000, input: { inline: '{}' } });
    expect(changesOf({ Records: [{ dynamodb: record }] })).toEqual([
      { sequenceNumber: '42', at: 1_700_000_000_000, before: plain('queued'), after: plain('running') },
    ]);
  });

  it('leave out rows that are no jobs, and keep a job’s removal', () => {
    const event = eventKey(refOf(row), row.createdAt, 1);
    const records = [
      { dynamodb: { SequenceNumber: '1', Keys: asStrings(event), NewImage: asStrings(event) } },
      {
        dynamodb: { SequenceNumber: '2', Keys: asStrings(keys), OldImage: { ...asStrings(keys), kind: { S: 'echo' } } },
      },
      {},
    ];
    expect(changesOf({ Records: records })).toEqual([{ sequenceNumber: '2', before: { kind: 'echo' } }]);
  });
});

describe('keys', () => {
  it('lead back to the job, whatever its names hold', () => {
    for (const tenant of ['acme', 'a#b', 'a%23b', '%', '#', 'ü%25#']) {
      const ref = { ...refOf(row), tenant: tenant as typeof row.tenant };
      expect(jobOf(jobKey(ref).pk)).toEqual(ref);
    }
  });

  it('begin with tenant and workspace, and never meet those of another', () => {
    const [a, b] = [
      { tenant: 'a#b', workspace: 'c' },
      { tenant: 'a', workspace: 'b#c' },
    ].map((scope) => ({ ...refOf(row), ...scope }) as ReturnType<typeof refOf>);
    expect(jobKey(a!).pk).not.toBe(jobKey(b!).pk);
    expect(listKeyOf(a!, '2025-01-01')).not.toBe(listKeyOf(b!, '2025-01-01'));
    expect(jobKey(refOf(row)).pk.startsWith('acme#main#')).toBe(true);
  });

  it('are not read as a job’s where they are another’s', () => {
    expect(() => jobOf('acme#main#dataset#ds_1')).toThrow('not a job');
  });
});
