// Names that people give: what a dataset may be called.
import * as z from 'zod';
import { NAME_LENGTH } from '../ingest/file-name.ts';

const plainText = (text: string): boolean => text.isWellFormed() && !/\p{Cc}/u.test(text);

export const datasetNameSchema = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH)
  .refine(plainText, 'It has characters that a name may not have.')
  .meta({ description: 'Unique in its workspace; no control characters.', examples: ['sales'] });
