import { kindsOf } from './release.ts';

export const kinds = kindsOf(1);
