import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { isOutage } from '../../../lib/core/outage.ts';
import { StoreUnavailable } from '../../../lib/job/ports.ts';
import { refOf } from '../../../lib/job/row.ts';
import { createDynamoStore } from '../../../lib/store/dynamo/store.ts';
import { toCondition, toUpdate } from '../../../lib/store/dynamo/render.ts';
import { itemSize } from '../../../lib/store/limits.ts';
import type { Guard, Rule } from '../../../lib/rule/rule.ts';
import { aJobRow } from '../../../lib/testing/builders.ts';

const aRule = (when: readonly Guard[], then: Rule['then'] = []): Rule => ({
  about: '',
  from: ['queued'],
  when,
  then,
  quiet: true,
  ownedBy: [],
});
const render = (rule: Rule, params: object = {}) => toUpdate({ name: 'test', rule, params: { ...params } });

describe('a rule rendered for DynamoDB', () => {
  it('names only what its expressions use, with the alternatives that were ruled out gone', () => {
    const rule = aRule(
      [
        {
          anyOf: [
            [
              ['epoch', '=', ':epoch?'],
              ['a', 'exists'],
            ],
            [['b', 'absent']],
          ],
        },
      ],
      [{ set: 'c', to: { attribute: 'd' } }],
    );
    expect(render(rule)).toEqual({
      ConditionExpression: '#n0 IN (:v0) AND #n1 = :v1 AND attribute_not_exists(#n2)',
      UpdateExpression: 'SET #n4 = #n3',
      ExpressionAttributeNames: { '#n0': 'status', '#n1': 'v', '#n2': 'b', '#n3': 'd', '#n4': 'c' },
      ExpressionAttributeValues: { ':v0': 'queued', ':v1': 1 },
    });
  });

  it('is a condition that never holds where nothing that is left can', () => {
    const rule = aRule(
      [
        ['epoch', '=', ':epoch?'],
        ['a', 'exists'],
      ],
      [{ remove: 'a' }],
    );
    const { ConditionExpression, ExpressionAttributeValues } = render(rule);
    expect(ConditionExpression).toBe('attribute_exists(#n0) AND attribute_not_exists(#n0)');
    expect(ExpressionAttributeValues).toBeUndefined();
  });

  it('is a condition that always holds where nothing is left to test', () => {
    const rule: Rule = { ...aRule([{ unlessGiven: ':dueAt?', guard: ['dueAt', 'exists'] }]), from: [] };
    const { ConditionExpression } = toCondition({ name: 'test', rule, params: { dueAt: 1 } });
    expect(ConditionExpression).toBe('attribute_exists(#n0) OR attribute_not_exists(#n0)');
  });

  it('sends one action an attribute: the last effect counts', () => {
    const rule = aRule([], [{ set: 'a', to: 1 }, { remove: 'a' }, { add: 'b', by: 1 }, { keepOrSet: 'c', to: ':c?' }]);
    expect(render(rule).UpdateExpression).toBe('REMOVE #n2 ADD #n3 :v2');
  });

  it('is refused in memory where a value is missing that the rule sets', () => {
    expect(() => render(aRule([], [{ set: 'a', to: ':a' }]))).toThrow('the value of a');
  });
});

describe('the DynamoDB store', () => {
  it('says that it is unavailable when nothing answers', async () => {
    const client = new DynamoDBClient({
      region: 'us-east-1',
      endpoint: 'http://127.0.0.1:9',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
    });
    const store = createDynamoStore({ client, tableName: 'none' });
    await expect(store.get(refOf(aJobRow()))).rejects.toThrow(StoreUnavailable);
    client.destroy();
  });

  it.each([
    [{ name: 'ThrottlingException', $metadata: { httpStatusCode: 400 } }, true],
    [{ name: 'TransactionConflictException', $metadata: { httpStatusCode: 400 } }, true],
    [{ name: 'Anything', $metadata: { httpStatusCode: 503 } }, true],
    [{ name: 'TimeoutError' }, true],
    [{ name: 'Error', code: 'ECONNRESET' }, true],
    [{ name: 'ValidationException', $fault: 'client', $metadata: { httpStatusCode: 400 } }, false],
    [{ name: 'AccessDeniedException', $fault: 'client', $metadata: { httpStatusCode: 400 } }, false],
    [{ name: 'TypeError' }, false],
  ])('takes %j as an outage: %s', (fields, outage) => {
    expect(isOutage(Object.assign(new Error('thrown'), fields))).toBe(outage);
  });

  it('counts an item’s size by the bytes of its names and values', () => {
    expect(itemSize({ pk: 'ab', é: 'ü' })).toBe(2 + 2 + 2 + 2);
    expect(itemSize({ flag: true, none: undefined })).toBe(5);
    expect(itemSize({ list: ['ab', 'c'] })).toBe(4 + 3 + 2 + 3);
    expect(itemSize({ map: { k: 'v' } })).toBe(3 + 3 + 1 + 2);
  });
});
