import { ownKinds } from './own-kinds.ts';
import { suite } from './suite.ts';
import { embeddedTarget } from './target.ts';
import { waits } from './waits.ts';
import { workspaces } from './workspaces.ts';

suite('embedded', embeddedTarget, { 'own kinds': ownKinds, waits, workspaces });
