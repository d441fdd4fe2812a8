// The embedding model that search is fused with, as the functions that ask it are told of it: the worker, which embeds the index, and
// the query function, which embeds what people search.
import * as z from 'zod';
import { type EmbedderConfig, embedderSchema } from '../lib/config/embedder.ts';
import type { Settings } from './settings.ts';

/** Null where none is configured. Throws an Error for a model, or dimensions of it, that cannot be asked. */
export function embedderOf(settings: Settings): EmbedderConfig | null {
  const { embedModel: model, embedRegion: region, embedDimensions: dimensions, embedInputCents: price } = settings;
  if (model === undefined) return null;
  const { describeRunCents: runCents, describeMonthCents: monthCents } = settings;
  const parsed = embedderSchema.safeParse({
    ...{ model, runCents, monthCents },
    ...(region !== undefined && { region }),
    ...(dimensions !== undefined && { dimensions }),
    ...(price !== undefined && { price }),
  });
  if (parsed.success) return parsed.data;
  throw new Error(`The flags of the embedding model cannot be read:\n${z.prettifyError(parsed.error)}`);
}
