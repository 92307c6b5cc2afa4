import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import PQueue from 'p-queue';
import { invariant, messageOf, stop } from '../../core/errors.ts';
import { EXIT } from '../../core/stops.ts';
import { StoppedObject } from '../../objects/stop-object.ts';
import { CommandStopped } from './answers.ts';

/**
 * What spends or changes is a process of its own, which holds the store's lock only while it works, and so is
 * what reads a long list. It ends in an orderly way when its standard input ends, so the end of this server
 * leaves no request in doubt.
 */

export interface ChildEnd {
  readonly exitCode: number;
  /** The one object that the command printed under `--json`; undefined when it printed none. */
  readonly result: unknown;
  /** The last line that the command wrote to stderr. */
  readonly lastLine: string;
}

export interface Child {
  readonly ended: Promise<ChildEnd>;
  /** Asks the child to stop. It then sends nothing new, and records the answers that are on their way. */
  stop(): void;
}

/** How this process was started, so that a checkout and an installed program each start themselves again. */
export interface Program {
  readonly script: string;
  readonly env: NodeJS.ProcessEnv;
  /** The operator; left out: the user of the system. */
  readonly operator?: string | undefined;
}

/**
 * Starts a command. Its words go to its standard input, because every user of the machine can read arguments.
 * @param input goes there instead, and then ends. Without it the child lives as long as we do.
 * @param key what `--key-stdin` of those words reads, where there is no input.
 * @param onProgress is told what the command has counted so far.
 */
export function startChild(
  { script, env, operator }: Program,
  words: readonly string[],
  input?: string,
  key?: string,
  onProgress?: ProgressListener,
): Child {
  const as = operator === undefined ? [] : ['--as', operator];
  const typedWords = [...words, ...as, '--json'];
  const isAsked = input === undefined;
  const child = spawn(process.execPath, [script, ...(isAsked ? ['-'] : typedWords)], {
    stdio: ['pipe', 'pipe', 'pipe', onProgress ? 'ipc' : 'ignore'],
    env: isAsked ? { ...env, ROWONCE_UNTIL_STDIN_ENDS: '1' } : env,
    // A terminal sends Ctrl-C to its whole process group. A second stop makes a run leave without its
    // answers, so the child has a group of its own.
    detached: true,
    windowsHide: true,
  });
  if (onProgress !== undefined) child.on('message', onProgress);
  const { stdin, stdout, stderr } = child;
  invariant(stdin && stdout && stderr, 'all three are pipes');
  // The child may have ended before it has read all its input.
  stdin.on('error', () => {});
  if (isAsked)
    stdin.write(`${JSON.stringify(key === undefined ? typedWords : { words: typedWords, key })}\n`);
  else stdin.end(input);
  const ended = Promise.all([text(stdout), text(stderr), once(child, 'close')])
    .then(
      ([printed, stderrText, [code, signal]]): ChildEnd => ({
        exitCode: code ?? (signal === 'SIGTERM' ? EXIT.terminated : EXIT.bug),
        result: printed === '' ? undefined : JSON.parse(printed),
        lastLine: stderrText.trimEnd().split('\n').at(-1) ?? '',
      }),
    )
    .catch((error: unknown) => ({ exitCode: EXIT.bug, result: undefined, lastLine: messageOf(error) }));
  return { ended, stop: () => stdin.end() };
}

export type ProgressListener = (message: unknown) => void;

/**
 * Commands that a page asks at once, such as one for each list of a team, wait in line behind these: every
 * one is a process that reads a whole list.
 */
const MOST_CHILDREN = 4;

const line = new PQueue({ concurrency: MOST_CHILDREN });

/**
 * @throws CommandStopped when it refused, and the signal's reason when it was stopped, or no one waited for
 * it when its turn came.
 */
export function askChild(
  program: Program,
  words: readonly string[],
  input?: string,
  signal?: AbortSignal,
  onProgress?: ProgressListener,
): Promise<object> {
  return line.add(() => askNow(program, words, input, signal, onProgress));
}

async function askNow(
  program: Program,
  words: readonly string[],
  input?: string,
  signal?: AbortSignal,
  onProgress?: ProgressListener,
): Promise<object> {
  signal?.throwIfAborted();
  const child = startChild(program, words, input, undefined, onProgress);
  signal?.addEventListener('abort', child.stop, { once: true });
  const { exitCode, result, lastLine } = await child.ended;
  if (exitCode === EXIT.done || exitCode === EXIT.attention) return result as object;
  signal?.throwIfAborted();
  const { stopped } = stoppedIn(result) ?? {};
  if (stopped !== undefined) throw new CommandStopped(stopped);
  throw stop('usage', lastLine || `The program ended with ${exitCode}.`, 'Try it again.');
}

/** The object that a command printed when it stopped; undefined when it went through, or met a bug. */
export function stoppedIn(result: unknown) {
  const { data } = StoppedObject.safeParse(result);
  return data?.stopped.code === 'bug' ? undefined : data;
}
