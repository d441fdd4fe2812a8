import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { DescriberConfig } from '../../lib/config/describer.ts';
import type { EmbedderConfig } from '../../lib/config/embedder.ts';
import type { Model } from '../../lib/ingest/describe/model.ts';
import type { Embeddings } from '../../lib/ingest/search/vectors/embeddings.ts';
import { createBedrockModel } from '../../lib/model/bedrock.ts';
import { createBedrockEmbeddings } from '../../lib/model/bedrock-embeddings.ts';
import { patienceForObjects } from './patience.ts';

/** A model takes its time; a question is sent once, since each sending may be charged. */
const clientIn = (region: string | undefined): BedrockRuntimeClient =>
  new BedrockRuntimeClient({ ...patienceForObjects, maxAttempts: 1, ...(region !== undefined && { region }) });

export const openBedrock = ({ model, region }: DescriberConfig): Model =>
  createBedrockModel({ model, client: clientIn(region) });

export const openEmbeddings = ({ model, region, dimensions }: EmbedderConfig): Embeddings =>
  createBedrockEmbeddings({ model, dimensions, client: clientIn(region) });
