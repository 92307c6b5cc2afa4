import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { environmentOf, type Start } from '../cli/rowonce.ts';
import { READ_AT_START } from '../cli/typed.ts';

/** A process in which a page is served. */
export interface Serving {
  readonly child: ChildProcess;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Of the page; null where it was killed. */
  readonly code: Promise<number | null>;
  /** Ends the page, and keeps the process for another one. */
  leave(): Promise<void>;
}

export type ToHost =
  | 'leave'
  | {
      readonly words: readonly string[];
      readonly folder: string;
      readonly env: Readonly<Record<string, string | undefined>>;
    };

export interface FromHost {
  readonly stdout?: string;
  readonly stderr?: string;
  readonly code?: number;
  readonly isFree?: true;
}

const HOST = join(import.meta.dirname, 'host.ts');

/** Those that serve nothing now. They end with this process. */
const free: ChildProcess[] = [];

/** Whether a process that runs already can serve this page. */
export const isHosted = ({ node, env = {} }: Start): boolean =>
  node === undefined && READ_AT_START.every((name) => env[name] === undefined);

/** Serves a page in a process that has served others, or in a new one. @param words after `serve`. */
export function serveInHost(words: readonly string[], folder: string, start: Start): Serving {
  const env = environmentOf(start);
  const child =
    free.pop() ?? spawn(process.execPath, [HOST], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env });
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { promise: code, resolve: end } = Promise.withResolvers<number | null>();
  const close = (ended: number | null): void => {
    child.off('message', hear);
    for (const stream of [stdout, stderr]) stream.end();
    end(ended);
  };
  const left = Promise.withResolvers<void>();
  const hear = (message: FromHost): void => {
    if (message.stdout !== undefined) stdout.write(message.stdout);
    if (message.stderr !== undefined) stderr.write(message.stderr);
    if (message.isFree) {
      child.off('disconnect', over);
      close(0);
      child.unref();
      child.channel?.unref();
      free.push(child);
      left.resolve();
    }
  };
  const over = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    close(child.exitCode);
    left.resolve();
  };
  child.on('message', hear);
  // What it has said before it ended was heard by then.
  child.once('disconnect', over);
  child.ref();
  child.channel?.ref();
  const order: ToHost = { words, folder, env };
  child.send(order);
  const leave = (): Promise<void> => {
    if (child.connected) child.send('leave' satisfies ToHost, () => {});
    return left.promise;
  };
  return { child, stdout, stderr, code, leave };
}
