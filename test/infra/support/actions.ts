// What the roles of the functions allow, action by action.
import type { Synthesised } from './synth.ts';

type Json = ReturnType<typeof JSON.parse>;

const listOf = (value: Json): Json[] => (Array.isArray(value) ? value : [value]);

/** The actions of each function by its name, sorted; anything but a plain allowance is an error. */
export function actionsByFunction(stack: Synthesised): Readonly<Record<string, readonly string[]>> {
  const functions = stack.ofType('AWS::Lambda::Function').map(([, { Properties }]) => {
    const role = Properties.Role['Fn::GetAtt'][0] as string;
    const name = (Properties.Handler as string).replace('.handler', '');
    return [name, actionsOf(stack, role)] as const;
  });
  return Object.fromEntries(functions);
}

/** What a role allows, by its logical id. */
export function actionsOf(stack: Synthesised, role: string): string[] {
  const { Policies = [], ManagedPolicyArns = [] } = stack.resources[role]!.Properties;
  if ([...Policies, ...ManagedPolicyArns].length > 0) throw new Error(`${role} has policies that are not read here`);
  const attached = stack
    .ofType('AWS::IAM::Policy')
    .filter(([, { Properties }]) => Properties.Roles.some((each: Json) => each.Ref === role));
  const statements = attached.flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Json[]);
  return [...new Set(statements.flatMap(actionsOfStatement))].sort();
}

function actionsOfStatement({ Effect, Action, NotAction, NotResource }: Json): string[] {
  if (Effect !== 'Allow' || NotAction !== undefined || NotResource !== undefined)
    throw new Error('a statement that is no plain allowance');
  return listOf(Action);
}
