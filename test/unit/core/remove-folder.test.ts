import { chmod, mkdir, mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeFolder } from '../../../lib/core/remove-folder.ts';

it('is gone with all that is in it, and one that is not there is no trouble', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-test-'));
  await mkdir(join(folder, 'inside'));
  await writeFile(join(folder, 'inside', 'file'), 'x');
  await chmod(join(folder, 'inside', 'file'), 0o400);
  await removeFolder(folder);
  await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  await expect(removeFolder(folder)).resolves.toBeUndefined();
});

it('says nothing of what cannot be removed', async () => {
  await expect(removeFolder('/proc/self')).resolves.toBeUndefined();
});
