import { S3Client } from '@aws-sdk/client-s3';
import type { Objects } from '../../lib/core/objects.ts';
import { createS3Objects } from '../../lib/store/s3.ts';
import { patienceForObjects } from './patience.ts';

export const openS3 = (bucket: string): Objects =>
  createS3Objects({ client: new S3Client(patienceForObjects), bucket });
