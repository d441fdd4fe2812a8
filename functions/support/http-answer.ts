// An answer as Lambda takes it: JSON of at most 6 MB, in which a text grows by every quote and control character of it.

export interface LambdaAnswer {
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** Characters that fit however they grow: sixfold at the worst. */
const smallText = 1_000_000;

/** A long text as base64, which grows by a third whatever it says; the gateway undoes it. */
export function fitted<A extends LambdaAnswer>(answer: A): A {
  if (answer.isBase64Encoded || answer.body.length <= smallText) return answer;
  return { ...answer, body: Buffer.from(answer.body).toString('base64'), isBase64Encoded: true };
}
