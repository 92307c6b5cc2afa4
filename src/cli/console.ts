import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Console } from '../commands/shared/command.ts';
import { stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { plainJson, plainLines, plainText } from '../core/plain-text.ts';
import type { StopObject } from '../objects/stop-object.ts';

/** The console of the frame of the command line, which can also report how the command ended. */
export interface Terminal extends Console {
  /**
   * Says why the command ended; with `--quiet` too. Adds the object of `--json` unless the command gave its
   * own.
   * @param leastBudget a budget with which what was refused can be done.
   */
  fail(stopped: StopObject, leastBudget?: number): void;
}

export interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** There is one where another process of Rowonce has started this one. */
  send?(message: object): boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface TerminalOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  /** The user asked for no colours, whatever the terminal and the environment say. */
  readonly noColor?: boolean;
}

/** An output stream; only a terminal has `columns`. */
type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** ANSI: erases a status of so many lines, from where the first begins. */
const erased = (lines: number): string => (lines > 1 ? `\r\u001b[${lines - 1}A\u001b[J` : '\r\u001b[K');

/**
 * The colour of a line on a terminal: green is done, yellow wants a look, red is gone or stopped. The first
 * word or sign of the line says the same, so a reader who sees no colours misses nothing.
 */
const TONES = [
  [/^(?:\+ | {2}(?:matched|applied) +\d|ok +\w)/, 'green'],
  [/^(?:[~!?] | {2}(?:invalid|refused|in_doubt|in doubt) +\d|Attention )/, 'yellow'],
  [/^(?:- |problem +\w)/, 'red'],
  [/^= /, 'dim'],
] as const;

function tinted(line: string, isAlarming: boolean): string {
  const tone = isAlarming ? 'red' : TONES.find(([begins]) => begins.test(line))?.[1];
  return tone === undefined ? line : styleText(tone, line, { validateStream: false });
}

/** Cuts a line to the width of the terminal, because the next line could not replace one that wraps. */
function fitting(line: string, { columns = 0 }: Output): string {
  return columns > 0 && line.length >= columns ? `${line.slice(0, columns - 2)}…` : line;
}

export const processStreams: Streams = process;

export function openTerminal(options: TerminalOptions, streams: Streams = processStreams): Terminal {
  const { stdin, stdout, stderr, env } = streams;
  const colored = (stream: Output): boolean => options.noColor !== true && wantsColor(stream, env);
  // Control sequences in the line are removed, so that a terminal gets only ours.
  const write = (stream: Output, line: string, isAlarming = false): void => {
    status();
    const shown = plainLines(line);
    stream.write(`${colored(stream) ? tinted(shown, isAlarming) : shown}\n`);
  };
  const interactive = stdin.isTTY === true && stderr.isTTY === true;
  const watched = stderr.isTTY === true && !options.quiet && ['', '0', 'false'].includes(env.CI ?? '');
  let drawn = 0;
  let isAsking = false;
  const status = (...lines: readonly string[]): void => {
    const shown = watched && !isAsking ? lines : [];
    if (drawn + shown.length > 0) stderr.write(erased(drawn));
    drawn = shown.length;
    if (drawn > 0) stderr.write(shown.map((line) => fitting(plainText(line), stderr)).join('\n'));
  };
  let answered = false;
  const result = (value: object): void => {
    if (!options.json) return;
    stdout.write(`${plainJson(value)}\n`);
    answered = true;
  };
  const ask: Console['ask'] = async (question, { hidden = false } = {}) => {
    if (!interactive) return undefined;
    status();
    isAsking = true;
    return askOn(streams, plainLines(question), hidden).finally(() => {
      isAsking = false;
    });
  };
  return {
    json: options.json,
    quiet: options.quiet,
    interactive,
    watched,
    print: (line) => {
      if (!options.json) write(stdout, line);
    },
    say: (line) => {
      if (!options.quiet) write(stderr, line);
    },
    warn: (line, tone) => write(stderr, line, tone === 'alarming'),
    status,
    result,
    soFar: (counts) => void streams.send?.(counts),
    ask,
    agrees: async (question) => /^y(es)?$/i.test((await ask(`${plainText(question)} [y/N] `))?.trim() ?? ''),
    fail: (stopped, budget_to_finish) => {
      const { message, next, next_command: command } = stopped;
      write(stderr, message, true);
      write(stderr, next);
      if (command !== undefined) write(stderr, command);
      if (!answered) result({ stopped, ...present({ budget_to_finish }) });
    },
  };
}

/**
 * `NO_COLOR` (no-color.org) is a wish of the user and wins over `FORCE_COLOR`, which is mostly set by build
 * servers.
 */
function wantsColor(stream: Output, env: Streams['env']): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && env.TERM !== 'dumb';
}

/**
 * One answer from the terminal; undefined at its end (Ctrl-D). A hidden answer is typed into an output that
 * swallows it, so neither the screen nor a recording of it ever holds the key.
 */
function askOn(streams: Streams, question: string, hidden: boolean): Promise<string | undefined> {
  const { stdin: input, stderr } = streams;
  const swallow = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (hidden) stderr.write(question);
  const lines = createInterface({ input, output: hidden ? swallow : stderr, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    lines.on('close', () => {
      stderr.write(hidden ? '\n' : '');
      resolve(undefined);
    });
    lines.on('SIGINT', () => {
      // Readline puts the terminal into raw mode, where Ctrl-C is a character and sends no signal.
      reject(stop('interrupted', 'Ctrl-C at a question stopped the command.', 'Run the command again.'));
      lines.close();
    });
    lines.question(hidden ? '' : question, (answer) => {
      resolve(answer);
      lines.close();
    });
  });
}
