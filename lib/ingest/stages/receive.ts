import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Fault } from '../../core/fault.ts';
import type { Objects } from '../../core/objects.ts';
import { defineStage, type StageContext } from '../../pipeline/stage.ts';
import type { Catalog, FileRecord } from '../catalog.ts';
import { detectFormat } from '../formats/detect.ts';
import { headOf } from '../formats/plain.ts';
import type { IngestInput } from '../input.ts';
import { received } from './outputs.ts';
import { SOURCE, tableIdOf } from './place.ts';

interface Deps {
  readonly catalog: Catalog;
  readonly objects: Objects;
}

/**
 * Reads the whole file once: its size, its hash, and whether it is what its name says. Only a file that may become a table draws a
 * sequence. Faults: NOT_FOUND, INPUT_UNREADABLE, EMPTY_FILE, FORMAT_UNKNOWN, FORMAT_MISMATCH, COMPRESSION_CORRUPT.
 */
export const createReceive = ({ catalog, objects }: Deps) =>
  defineStage({
    ...received,
    run: async (ctx, { dataset, file: id, name, table: named }: IngestInput) => {
      const file = await catalog.getFile(ctx.ref, dataset, id);
      if (file === undefined) throw new Fault('NOT_FOUND', `There is no file ${id} in this dataset.`);
      const path = join(await ctx.folder(), SOURCE);
      const { bytes, sha256 } = await copy(ctx, objects, file, path);
      const { format, compression, tableName: derived } = detectFormat({ name, head: await headOf(path) });
      const tableName = named ?? derived;
      const table = tableIdOf(ctx.ref, dataset, tableName);
      const { tenant, workspace } = ctx.ref;
      const sequence = await catalog.drawSequence({ tenant, workspace }, dataset, table, tableName, ctx.clock.now());
      const source = { name, format, compression, bytes, sha256 };
      return { dataset, table, tableName, sequence, objectKey: file.objectKey, source };
    },
  });

async function copy(ctx: StageContext, objects: Objects, file: FileRecord, path: string) {
  const source = await objects.read(file.objectKey);
  if (source === undefined) throw new Fault('INPUT_UNREADABLE', 'The bytes of the file are gone.');
  const hash = createHash('sha256');
  let bytes = 0;
  const meter = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      hash.update(chunk);
      bytes += chunk.length;
      ctx.progress(bytes, file.size, 'receive');
      done(null, chunk);
    },
  });
  await pipeline(source, meter, createWriteStream(path), { signal: ctx.signal });
  return { bytes, sha256: hash.digest('hex') };
}
