import { suite } from './suite.ts';
import { embeddedTarget } from './target.ts';

suite('embedded', embeddedTarget);
