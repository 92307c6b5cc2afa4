import { ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { Server, Socket } from 'node:net';
import { chdir, execPath } from 'node:process';
import { PassThrough, Writable } from 'node:stream';
import { PROGRAM } from '../cli/rowonce.ts';
import type { FromHost, ToHost } from './hosts.ts';

/**
 * A process that serves one page after another: the built `rowonce serve` with the same frame, arguments and environment,
 * without the time that a process takes to start and to run everything for the first time. A signal ends it as it ends any page.
 */

const { runCommandLine } = createRequire(import.meta.url)(
  '../../dist/main.js',
) as typeof import('../../src/cli/main.ts');

const send = (message: FromHost): Promise<void> =>
  new Promise((resolve) => void process.send?.(message, undefined, undefined, () => resolve()));

const writable = (name: 'stdout' | 'stderr'): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => void send({ [name]: chunk.toString() }).then(() => done()),
  });

/** Whether the test has ended: the page ends then, and the process does not. */
let isLeft = false;

process.on('disconnect', () => process.exit());
process.on('message', async (message: ToHost) => {
  if (message === 'leave') {
    isLeft = true;
    process.emit('SIGTERM');
    // The page waits for what it has started, which would go on with answers that no one awaits any more.
    for (const handle of activeHandles()) if (handle instanceof ChildProcess) handle.kill('SIGKILL');
    return;
  }
  const { words, folder, env } = message;
  isLeft = false;
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  chdir(folder);
  process.argv = [execPath, PROGRAM, 'serve', ...words];
  const streams = { stdin: new PassThrough().end(), stdout: writable('stdout'), stderr: writable('stderr') };
  const code = await runCommandLine(['serve', ...words], { ...streams, env });
  if (!isLeft) {
    await send({ code });
    process.exit(code);
  }
  closeAll();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
  // The folder is gone in a moment.
  chdir('/');
  await send({ isFree: true });
});

function activeHandles(): readonly unknown[] {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): readonly unknown[] };
  return handles();
}

/** A page leaves its listeners and connections to the end of its process. */
function closeAll(): void {
  const own: readonly unknown[] = [process.stdin, process.stdout, process.stderr];
  for (const handle of activeHandles()) {
    if (handle instanceof Server) handle.close();
    else if (handle instanceof Socket && !own.includes(handle)) handle.destroy();
  }
}
