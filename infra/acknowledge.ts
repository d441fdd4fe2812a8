// A finding of cdk-nag is either repaired or acknowledged here with the reason; the test of the stack fails on any other.
import { Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** `findings` in full, as the report names them, e.g. `AwsSolutions-S1`. */
export function acknowledge(construct: IConstruct, reason: string, ...findings: readonly string[]): void {
  Validations.of(construct).acknowledge(...findings.map((id) => ({ id, reason })));
}

/** The same for resources with a wildcard in the policies of a role. */
export function acknowledgeWildcards(role: IConstruct, reason: string, resources: readonly string[]): void {
  const stack = Stack.of(role);
  const findings = resources.map(
    (resource) => `AwsSolutions-IAM5[Resource::${reported(stack.resolve(resource) as Value)}]`,
  );
  acknowledge(role, reason, ...findings);
}

type Value =
  | string
  | { readonly Ref: string }
  | { readonly 'Fn::GetAtt': readonly [string, string] }
  | { readonly 'Fn::Join': readonly ['', readonly Value[]] };

/** A value of the template as the report writes it: `<Bucket.Arn>/*`. */
function reported(value: Value): string {
  if (typeof value === 'string') return value;
  if ('Ref' in value) return `<${value.Ref}>`;
  if ('Fn::GetAtt' in value) return `<${value['Fn::GetAtt'].join('.')}>`;
  return value['Fn::Join'][1].map(reported).join('');
}
