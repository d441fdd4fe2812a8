import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { emulatorCommand } from '../../../scripts/cloud/command.ts';
import { startEmulator } from '../../../scripts/cloud/emulator.ts';
import { claimPort, freePort } from '../../../scripts/cloud/port.ts';
import { standIns } from '../../support/stand-in.ts';

let stateDir: string;
beforeEach(() => {
  stateDir = mkdtempSync(join(tmpdir(), 'millrace-emulator-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(stateDir, { recursive: true });
});

const log = () => undefined;
const installed = { kind: 'docker', image: 'image:1' } as const;

/** Serves the health path on `port` until SIGTERM, and leaves a file that says it was stopped in order. */
const server = (port: number, stateDir: string) => `
exec '${process.execPath}' --eval '
  require("http").createServer((_, response) => response.end("{}")).listen(${port}, "127.0.0.1");
  process.on("SIGTERM", () => { require("fs").writeFileSync("${stateDir}/saved", ""); process.exit(); });
'`;

describe('the emulator', () => {
  it('runs as a container with IAM on, its state mounted and its port published, and is stopped in order', async () => {
    const port = await freePort();
    using commands = standIns({ docker: server(port, stateDir) });
    vi.stubEnv('PATH', `${commands.folder}:${process.env['PATH'] ?? ''}`);
    const emulator = await startEmulator({ port, stateDir, log, installed });
    expect(emulator.url).toBe(`http://127.0.0.1:${port}`);
    const [call = ''] = commands.calls();
    expect(call).toMatch(/^docker run --rm .*image:1$/);
    for (const part of [`--publish ${port}:${port}`, `--volume ${stateDir}:/state`, '--env AUTH=true']) {
      expect(call).toContain(part);
    }
    expect(call).toContain('--env PERSIST_STATE=1');
    await emulator.stop();
    expect(existsSync(join(stateDir, 'saved'))).toBe(true);
    await claimPort(port);
    await emulator.stop();
  });

  it('that does not come up shows the end of its log', async () => {
    using commands = standIns({ docker: 'echo "cannot bind" >&2; exit 3' });
    vi.stubEnv('PATH', `${commands.folder}:${process.env['PATH'] ?? ''}`);
    const start = startEmulator({ port: await freePort(), stateDir, log, installed });
    await expect(start).rejects.toThrow(/did not start.*\ncannot bind/);
  });

  it('refuses a busy port in a sentence that names the way out', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => busy.once('listening', done));
    const { port } = busy.address() as AddressInfo;
    try {
      const start = startEmulator({ port, stateDir, log, installed });
      await expect(start).rejects.toThrow(`Port ${port} is busy. Stop what listens there`);
    } finally {
      busy.close();
    }
  });

  it('of a virtual environment listens on this machine only, and keeps its state', () => {
    const { command, env } = emulatorCommand({ kind: 'venv', command: '/venv/ministack' }, { port: 4999, stateDir });
    expect(command).toBe('/venv/ministack');
    expect(env).toMatchObject({
      AUTH: 'true',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: '4999',
      PERSIST_STATE: '1',
      S3_DATA_DIR: join(stateDir, 'objects'),
      STATE_DIR: join(stateDir, 'state'),
    });
  });

  it('keeps the log of its last run', async () => {
    using commands = standIns({ docker: 'echo "$MARK"; exit 1' });
    vi.stubEnv('PATH', `${commands.folder}:${process.env['PATH'] ?? ''}`);
    for (const mark of ['one', 'two']) {
      vi.stubEnv('MARK', mark);
      await startEmulator({ port: await freePort(), stateDir, log, installed }).catch(() => undefined);
    }
    expect(readFileSync(join(stateDir, 'emulator.log'), 'utf8')).toBe('two\n');
  });
});
