import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { agreeToDialects } from '../support/agree.ts';

/** Runs the real program as its users do: a process, with arguments, an environment and pipes. */

export const PROGRAM = join(import.meta.dirname, '..', '..', 'src', 'bin.js');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Start {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string | Buffer;
  readonly node?: string;
  /** Whether somebody looks at stderr; only for what is typed in this process. */
  readonly isWatched?: boolean;
}

/** Nothing of the tester's own configuration or colours reaches the program. */
export function environmentOf({ env }: Start): NodeJS.ProcessEnv {
  // The compile cache halves what each of the thousands of starts costs. `vitest.config.ts` says where it is, and which build.
  const { PATH, HOME, NODE_COMPILE_CACHE, ROWONCE_BUILD, XDG_STATE_HOME } = process.env;
  const kept = { PATH, HOME, NODE_COMPILE_CACHE, ROWONCE_BUILD, XDG_STATE_HOME };
  return { ...kept, ROWONCE_TEST_HOOKS: '1', ...env };
}

export function startRowonce(args: readonly string[], start: Start = {}): ChildProcess {
  return spawn(start.node ?? process.execPath, [PROGRAM, ...args], {
    env: environmentOf(start),
    ...(start.cwd === undefined ? {} : { cwd: start.cwd }),
  });
}

export async function rowonce(args: readonly string[], start: Start = {}): Promise<Ended> {
  await agreeToDialects(start.env?.ROWONCE_CONFIG);
  const child = startRowonce(args, start);
  if (child.stdin === null || child.stdout === null || child.stderr === null) throw new Error('no pipes');
  child.stdin.end(start.stdin ?? '');
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
