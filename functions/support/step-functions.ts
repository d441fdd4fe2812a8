import { SFNClient } from '@aws-sdk/client-sfn';
import type { Executions } from '../../lib/job/ports.ts';
import { createStepFunctions } from '../../lib/queue/step-functions.ts';
import { patience } from './patience.ts';

export const openStepFunctions = (machines: Readonly<Record<string, string>>): Executions =>
  createStepFunctions({ client: new SFNClient(patience), machines });
