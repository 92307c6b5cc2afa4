import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';

/** Whether Redis is installed. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** When a write of Redis is on the disk: before it is answered, or within a second. */
export type Syncs = 'always' | 'everysec';

export interface Redis {
  readonly pid: number;
  readonly port: number;
  end(): Promise<void>;
}

/** A Redis that remembers, in a folder of its own, for nobody but this machine. */
export async function startRedis(folder: string, syncs: Syncs): Promise<Redis> {
  await mkdir(folder);
  const port = await freePort();
  const options = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: syncs,
    save: '',
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await isReady(server);
  const ended = once(server, 'exit');
  return {
    pid: server.pid ?? 0,
    port,
    async end() {
      server.kill();
      await ended;
    },
  };
}

function isReady(server: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    server.once('exit', () => reject(new Error(`redis-server ended before it was ready: ${said}`)));
    server.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Ready to accept connections')) resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await once(probe.close(), 'close');
  return port;
}
