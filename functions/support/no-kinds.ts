// What `#own-kinds` is where nobody brings kinds of their own: a bundle is built with the user's file in its place (infra/bundle.ts).
import type { OwnKind } from '../../lib/pipeline/own-kinds.ts';

export const kinds: readonly OwnKind[] = [];
