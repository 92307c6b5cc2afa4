import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const SPENDER = fileURLToPath(new URL('./spender.ts', import.meta.url));

export type SpenderAction = 'hold' | 'some' | 'fill' | 'recover';

export interface Spender {
  readonly process: ChildProcess;
  /** The next line that it says; undefined once it has ended. */
  line(): Promise<string | undefined>;
  /** Every line from here to its end. */
  rest(): Promise<readonly string[]>;
  /** How it ended: an exit code or a signal. */
  ended(): Promise<number | NodeJS.Signals>;
  /** Ends it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

/** A spender in its own process (`spender.ts`); killed when the test ends. */
export function startSpender(folder: string, action: SpenderAction, env: NodeJS.ProcessEnv = {}): Spender {
  const child = spawn(process.execPath, [SPENDER, folder, action], {
    env: { ...process.env, ROWONCE_TEST_HOOKS: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  const ended = async () => (await closed).find((reason) => reason !== null);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  const line = async () => (await lines.next()).value as string | undefined;
  return { process: child, line, rest: () => collect(line), ended, kill };
}

async function collect(line: () => Promise<string | undefined>): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let next = await line(); next !== undefined; next = await line()) lines.push(next);
  return lines;
}
