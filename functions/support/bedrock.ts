import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import type { DescriberConfig } from '../../lib/config/describer.ts';
import type { Model } from '../../lib/ingest/describe/model.ts';
import { createBedrockModel } from '../../lib/model/bedrock.ts';
import { patienceForObjects } from './patience.ts';

/** A model takes its time; a question is sent once, since each sending may be charged. */
export const openBedrock = ({ model, region }: DescriberConfig): Model =>
  createBedrockModel({
    model,
    client: new BedrockRuntimeClient({
      ...patienceForObjects,
      maxAttempts: 1,
      ...(region !== undefined && { region }),
    }),
  });
