// On the local cloud; and, where API_URL names one, on a deployed service too.
import { ownKinds } from './own-kinds.ts';
import { suite } from './suite.ts';
import { cloudTarget, deployedTarget } from './target.ts';
import { waits } from './waits.ts';
import { workspaces } from './workspaces.ts';

suite('local cloud', cloudTarget, { 'own kinds': ownKinds, waits, workspaces });

const deployed = deployedTarget();
if (deployed) suite('deployed', async () => deployed);
