import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stop } from '../core/errors.ts';
import { PACKAGE } from '../core/families.ts';

/** The program's start, which a package brings along as it stands. */
const PROGRAM = new URL('src/bin.js', PACKAGE);

/** After so long a sandbox that does not end is killed. Nothing is lost, because its book is written. */
const STOP_MS = 5000;

/** At most so much of the sandbox's output is quoted when it does not start. */
const QUOTED_CHARACTERS = 2000;

interface SpawnOptions {
  /** The file of the book, which only one sandbox may use at a time, see `bookPathIn`. */
  readonly bookPath: string;
  /** Flags of `rowonce sandbox`, such as `['--rate', '20/s']`. */
  readonly flags: readonly string[];
  /** The command that is started; left out, `rowonce sandbox`. */
  readonly program?: readonly string[];
}

interface SpawnedSandbox {
  readonly url: string;
  stop(): Promise<void>;
}

/** A book for each built-in account: several may be in use at once, each with its own sandbox. */
export function bookPathIn(folder: string, account: string): string {
  const vendor = account.replace('sandbox-', '');
  return join(folder, vendor === 'provider' ? 'book.jsonl' : `${vendor}-book.jsonl`);
}

/**
 * Starts the sandbox as a process of its own, on any free port. It ends when this process does, however that
 * happens, because its standard input is a pipe from here. It is out of reach of the terminal's Ctrl-C, so
 * that requests in flight are still answered while this process stops, and it never keeps this process from
 * ending. A StopError (usage) when it ends before it listens.
 */
export async function spawnSandbox(options: SpawnOptions): Promise<SpawnedSandbox> {
  const { bookPath, flags, program = [fileURLToPath(PROGRAM), 'sandbox'] } = options;
  const words = [...program, '--port', '0', '--book', bookPath, ...flags];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: 'pipe',
    // A crash point is meant for the program under test.
    env: { ...process.env, ROWONCE_UNTIL_STDIN_ENDS: '1', ROWONCE_CRASH_AT: undefined },
  });
  const url = await listeningUrl(child);
  letGo(child);
  return { url, stop: () => stopChild(child) };
}

function listeningUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let stdoutText = '';
    let stderrText = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdoutText += text;
      const url = /^sandbox listening on (\S+)\n/m.exec(stdoutText)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderrText = (stderrText + text).slice(-QUOTED_CHARACTERS);
    });
    child.once('error', (error) => reject(notStarted(error.message)));
    // `close` comes after all output was read, and `exit` may come before.
    child.once('close', (code, signal) =>
      reject(notStarted(`exit ${signal ?? code}; it said: ${stderrText.trim() || 'nothing'}`)),
    );
  });
}

function notStarted(why: string): Error {
  const fact = `The sandbox ended before it was ready (${why}).`;
  return stop('usage', fact, 'Fix what it names, then run the command again.');
}

/**
 * Lets this process end while the child runs. The child's output is still read, so that a full pipe never
 * stops it.
 */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) {
    if (stream instanceof Socket) stream.unref();
  }
  child.stdin?.on('error', () => undefined);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, 'exit');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  child.kill('SIGTERM');
  await ended;
  clearTimeout(kill);
}
