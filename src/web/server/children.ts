import { type ChildProcess, spawn } from 'node:child_process';
import type { z } from 'zod';
import { messageOf, StopError, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { StoppedObject } from '../../objects/stop-object.ts';

/**
 * The server itself only reads. Any work that spends, changes or takes long is a process of its own, started
 * through the command line. It holds the store's lock only while it works.
 *
 * A child ends in an orderly way when its standard input ends. So the end of this server, for any reason,
 * leaves no request in doubt: answers to requests in flight are still recorded, and nothing new is sent.
 */

export interface ChildEnd {
  readonly exitCode: number;
  /** The one object that the command printed under `--json`; undefined when it printed none. */
  readonly result: unknown;
  /** The last lines that the command wrote to stderr. */
  readonly said: readonly string[];
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
  readonly operator?: string;
}

const MOST_LINES_SAID = 200;

/** The answer of a command is far smaller. This bound is against a bug that prints without end. */
const MOST_PRINTED = 64 << 20;

/**
 * Starts a command. Its words go to its standard input, because every user of the machine can read arguments.
 * @param input goes to the standard input instead, which then ends. Without it the child lives as long as we
 * do.
 */
export function startChild(
  { script, env, operator }: Program,
  words: readonly string[],
  input?: string,
): Child {
  const as = operator === undefined ? [] : ['--as', operator];
  const asked = [...words, ...as, '--json'];
  const isAsked = input === undefined;
  const child = spawn(process.execPath, [script, ...(isAsked ? ['-'] : asked)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: isAsked ? { ...env, ROWONCE_UNTIL_STDIN_ENDS: '1' } : env,
    // A terminal sends Ctrl-C to its whole process group. A second stop makes a run leave without its
    // answers, so the child has a group of its own.
    detached: true,
    windowsHide: true,
  });
  // The child may have ended before it has read all its input.
  child.stdin.on('error', () => {});
  if (isAsked) child.stdin.write(`${JSON.stringify(asked)}\n`);
  else child.stdin.end(input);
  return { ended: endOf(child), stop: () => child.stdin.end() };
}

/**
 * @returns the object that the command printed.
 * @throws StopError with the command's own words when it refused, and with the signal's reason when it was
 * stopped.
 */
export async function askChild(
  program: Program,
  words: readonly string[],
  input?: string,
  signal?: AbortSignal,
): Promise<unknown> {
  signal?.throwIfAborted();
  const child = startChild(program, words, input);
  signal?.addEventListener('abort', child.stop, { once: true });
  const ended = await child.ended;
  signal?.removeEventListener('abort', child.stop);
  if (ended.exitCode === 0 || ended.exitCode === 3) return ended.result;
  signal?.throwIfAborted();
  throw refusalIn(ended);
}

function refusalIn({ exitCode, result, said }: ChildEnd): StopError {
  const fact = said.at(-1) ?? `The command ended with ${exitCode}.`;
  return stopIn(result) ?? stop('usage', fact, 'Try it again.');
}

/**
 * The object that a command printed when it stopped; undefined when it went through, or met a bug of ours.
 */
export function stoppedIn(result: unknown): z.infer<typeof StoppedObject> | undefined {
  const { data } = StoppedObject.safeParse(result);
  return data?.stopped.code === 'bug' ? undefined : data;
}

function stopIn(result: unknown): StopError | undefined {
  const { stopped, budget_to_finish: leastBudget } = stoppedIn(result) ?? {};
  if (stopped === undefined || stopped.code === 'bug') return undefined;
  const { code, message, next, next_command: nextCommand, plan, answers, choices } = stopped;
  return new StopError({
    code,
    message,
    next,
    ...present({ nextCommand, plan, answers, choices, leastBudget }),
  });
}

function endOf(child: ChildProcess): Promise<ChildEnd> {
  const printed: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MOST_PRINTED) printed.push(chunk);
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-64_000);
  });
  return new Promise((resolve) => {
    const end = (exitCode: number, more = ''): void => {
      const lines = `${said}${more}`.split('\n').filter((line) => line !== '');
      resolve({ exitCode, result: parsed(Buffer.concat(printed)), said: lines.slice(-MOST_LINES_SAID) });
    };
    child.once('error', (error) => end(1, messageOf(error)));
    child.once('close', (code, signal) => end(code ?? (signal === 'SIGTERM' ? 143 : 1)));
  });
}

function parsed(printed: Buffer): unknown {
  try {
    return JSON.parse(printed.toString());
  } catch {
    return undefined;
  }
}
