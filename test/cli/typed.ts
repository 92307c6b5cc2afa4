import { createRequire } from 'node:module';
import { PassThrough, Writable } from 'node:stream';
import { agreeToDialects } from '../support/agree.ts';
import { type Ended, environmentOf, PROGRAM, rowonce, type Start } from './rowonce.ts';

/**
 * A command typed in this process: the built program with the same frame, arguments and streams, without the time that it
 * takes to start. What it takes from a process is taken from this one: where accounts and store are is told by its
 * environment.
 */

type BuiltProgram = typeof import('../../src/cli/main.ts');

/** The test runner would load it piece by piece; Node loads it as it has compiled it. */
const load = createRequire(import.meta.url);

const runCommandLine: BuiltProgram['runCommandLine'] = (...command) =>
  (load('../../dist/main.js') as BuiltProgram).runCommandLine(...command);

export interface Typing {
  /** What somebody types who sits in front of a terminal; left out: there is none. */
  readonly answer?: string;
  /** The same, one after each question. */
  readonly answers?: readonly string[];
}

export async function typed(words: readonly string[], { answer, answers = [] }: Typing = {}): Promise<Ended> {
  const left = [...(answer === undefined ? [] : [answer]), ...answers];
  const isTTY = left.length > 0;
  const [stdout, stderr] = [new Written(false), new Written(isTTY)];
  const stdin = Object.assign(new PassThrough(), { isTTY });
  if (!isTTY) stdin.end();
  // Whoever asks listens, and hears one line: what is typed before a question is no one's answer.
  stdin.on('newListener', (event) => {
    if (event === 'keypress' || event === 'end')
      setImmediate(() => left.length > 0 && stdin.write(`${left.shift()}\n`));
  });
  const code = await runCommandLine(words, { stdin, stdout, stderr, env: { NO_COLOR: '1' } });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

/** The last command of `typedAt`. */
let last: Promise<unknown> = Promise.resolve();

/** What a process reads of its environment once, as it starts. */
export const READ_AT_START = ['ROWONCE_CRASH_AT', 'ROWONCE_FULL_AT_PAGES', 'NODE_OPTIONS'];

/**
 * A command typed in this process, in a folder and an environment of its own, as `rowonce` starts it in a process. Folder and
 * environment are the whole process's for as long as it runs, so one waits for the other. A process of its own is what only
 * a process can show: pipes, its death, another Node, and what is read as it starts.
 */
export function typedAt(words: readonly string[], start: Start = {}): Promise<Ended> {
  const { stdin, node, env = {} } = start;
  const isPiped = stdin !== undefined || words.includes('-');
  const isReadAtStart = READ_AT_START.some((name) => env[name] !== undefined);
  if (isPiped || isReadAtStart || node !== undefined) return rowonce(words, start);
  const ended = last.then(() => typedHere(words, start));
  last = ended.catch(() => {});
  return ended;
}

/** The same, always in this process, for whoever types nothing else in it meanwhile. */
export async function typedHere(words: readonly string[], start: Start): Promise<Ended> {
  await agreeToDialects(start.env?.ROWONCE_CONFIG);
  const [folder, environment, commandLine] = [process.cwd(), { ...process.env }, process.argv];
  const env = environmentOf(start);
  const [stdin, stdout, stderr] = [
    new PassThrough().end(),
    new Written(false),
    new Written(start.isWatched === true),
  ];
  process.chdir(start.cwd ?? folder);
  setEnvironment(env);
  process.argv = [process.execPath, PROGRAM, ...words];
  try {
    const code = await runCommandLine(words, { stdin, stdout, stderr, env });
    return { code, stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.argv = commandLine;
    setEnvironment(environment);
    process.chdir(folder);
  }
}

function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}

class Written extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}
