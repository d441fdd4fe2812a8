import { ownKinds } from './own-kinds.ts';
import { suite } from './suite.ts';
import { embeddedTarget } from './target.ts';

suite('embedded', embeddedTarget, { 'own kinds': ownKinds });
