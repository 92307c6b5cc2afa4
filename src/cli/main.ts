// Before all others, because a schema is as the setting was when it was made.
import './schemas.ts';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { type Command, CommanderError } from 'commander';
import type { Report } from '../commands/shared/command.ts';
import { bugWords, isReaderGone, messageOf, type StopDetail, StopError } from '../core/errors.ts';
import { AGAIN, phrase, typedWords, typing } from '../core/phrase.ts';
import { plainText } from '../core/plain-text.ts';
import { stopShown } from '../core/stop-object.ts';
import { EXIT, type ExitCode } from '../core/stops.ts';
import { commandLine, isCurl, nameStore, optionsEnd, withArgument, withMeant } from '../lib/command-line.ts';
import { giveKey } from '../lib/given-key.ts';
import { systemStop } from '../lib/system-errors.ts';
import type { StopObject } from '../objects/stop-object.ts';
import { storeToName } from '../run/store-choice.ts';
import { openTerminal, processStreams, type Streams, type Terminal } from './console.ts';
import { buildProgram, configureTyped, type RunCommand } from './program.ts';
import { usageStop } from './usage.ts';

/**
 * The frame around every command: it reads the arguments, runs the command and turns every error into a fact,
 * an advice and an exit code.
 */

export async function main(typed: readonly string[]): Promise<never> {
  const isAsked = typed.join() === '-' && process.env.ROWONCE_UNTIL_STDIN_ENDS === '1';
  const argv = isAsked ? await wordsOnStdin() : typed;
  let terminal = terminalFor(argv, processStreams);
  // An error that no code awaited ends the process too, because a run must not go on in an unknown state.
  process.on('uncaughtException', (error) => process.exit(reportUnexpected(terminal, error, processStreams)));
  let unwritten: Error | undefined;
  // A run goes on when stderr is closed: to end here would leave calls in doubt that were already paid for.
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    if (!isReaderGone(error, process.stdout)) unwritten = error;
  });
  if (process.env.ROWONCE_UNTIL_STDIN_ENDS === '1') stopWithStdin();
  const exitCode = await runCommandLine(argv, processStreams, {
    // The main thread compiles what is compiled first, and most. A thread of V8 that compiles while the
    // program ends may wait for a collection which no one does any more, and the program for that thread: it
    // never ends (nodejs/node, issue 54918). Not before: once V8 was told anything, it refuses what Node has
    // compiled of its own modules.
    loaded: () => setFlagsFromString('--no-concurrent-sparkplug'),
    isTyped: !isAsked,
    opened(ownTerminal) {
      terminal = ownTerminal;
      keepGarbageLow();
    },
  });
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  // The process is ended here, because an idle connection to a vendor would keep it alive for a minute.
  process.exit(unwritten === undefined ? exitCode : reportUnwritten(terminal, unwritten, exitCode));
}

/**
 * What the page starts is on the first line of standard input, as JSON, because every user of the machine can
 * read arguments.
 */
function wordsOnStdin(): Promise<readonly string[]> {
  let line = '';
  return new Promise((resolve) => {
    const onText = (text: string): void => {
      line += text;
      if (!line.endsWith('\n')) return;
      process.stdin.off('data', onText);
      const order: readonly string[] | { readonly words: readonly string[]; readonly key: string } =
        JSON.parse(line);
      if ('key' in order) giveKey(order.key);
      resolve('words' in order ? order.words : order);
    };
    process.stdin.setEncoding('utf8').on('data', onText);
  });
}

/**
 * The page starts commands, and a run starts a sandbox; both hold the standard input of what they start. When
 * it ends, the process that held it is gone or wants a stop: that is a SIGTERM, so nothing new is sent and
 * what is in flight is still recorded. A service manager stops all processes of a page by a signal of its
 * own; two would make a run leave at once, so its signal is waited for.
 */
function stopWithStdin(): void {
  // Not for the processes that this one starts: it holds theirs.
  delete process.env.ROWONCE_UNTIL_STDIN_ENDS;
  let wasAsked = false;
  process.once('SIGTERM', () => {
    wasAsked = true;
    // A command that is not asked to stop in any other way dies of it, as if no one had listened.
    if (process.listenerCount('SIGTERM') === 0) process.kill(process.pid, 'SIGTERM');
  });
  const end = (): void => {
    setTimeout(() => wasAsked || process.kill(process.pid, 'SIGTERM'), OTHER_SIGNAL_MS).unref();
  };
  process.stdin.once('end', end).once('error', end).resume();
  // The command ends by itself when its work is done.
  process.stdin.unref();
}

const OTHER_SIGNAL_MS = 100;

interface Moments {
  /** What answers is loaded, or could not be. However the command line ends, it comes here first. */
  loaded(): void;
  opened(terminal: Terminal): void;
  /** A person typed it, and not the page. */
  readonly isTyped: boolean;
}

/** Runs the command line on these streams. Never throws; the exit code says how it ended. */
export async function runCommandLine(
  typed: readonly string[],
  streams: Streams,
  { loaded, opened, isTyped }: Moments = { loaded: () => {}, opened: () => {}, isTyped: true },
): Promise<ExitCode> {
  nameStore(undefined);
  const isHelp = typed.length < 4 && [typed[0], typed.at(-1)].includes('help');
  const argv = isHelp ? [...typed.filter((word) => word !== 'help'), '--help'] : typed;
  let terminal = terminalFor(argv, streams);
  let exitCode: ExitCode = EXIT.done;
  let help = '';
  const run: RunCommand = async (of, input, typed) => {
    const ended = await of.run(input, {
      console: terminal,
      words: argv,
      wordsWith: (argument, other) => withArgument(argv, typed, argument, other),
      ownParts: {},
    });
    exitCode = reportEnd(terminal, ended);
  };
  let program: Command | undefined;
  try {
    program = await buildProgram({
      started: ({ json = false, quiet = false, color, store }) => {
        nameStore(storeToName(store));
        terminal = openTerminal({ json, quiet, noColor: color === false }, streams);
        opened(terminal);
      },
      write: (text) => {
        help += text;
      },
      writeError: (text) => terminal.say(text),
    });
    await configureTyped(program, argv, run).finally(loaded);
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!isAnswerOfCommander(error)) {
      const isUsage = error instanceof CommanderError;
      const words = await withoutKeys(argv);
      const stopped = isUsage && program ? await usageStop(error, words, program) : error;
      return reportError(terminal, stopped, isTyped ? words : [], streams);
    }
    terminal.print(help.trimEnd());
    terminal.result(error.code === 'commander.version' ? { version: help.trim() } : { help });
    return EXIT.done;
  }
}

/** Says how a command ended. Where something stopped it, the command that goes on is the last line. */
export function reportEnd(terminal: Terminal, ended: Report): ExitCode {
  const { lines = [], warnings = [], advice = [], object, exitCode = EXIT.done } = ended;
  for (const line of lines) terminal.print(plainText(line));
  if (object !== undefined) terminal.result(object);
  for (const line of warnings) terminal.warn(plainText(line));
  for (const line of advice) terminal.say(plainText(line));
  const { stopped = null } = (object ?? {}) as { readonly stopped?: StopObject | null };
  if (stopped !== null) terminal.fail(stopped);
  return exitCode;
}

/** Whether commander's exception is no error: it ends `--help` and `--version` by an exception too. */
function isAnswerOfCommander(error: unknown): error is CommanderError {
  return error instanceof CommanderError && error.exitCode === 0;
}

/** A vendor's line of curl may have a key in it, which no command that is printed has. */
async function withoutKeys(argv: readonly string[]): Promise<readonly string[]> {
  if (!argv.some(isCurl)) return argv;
  const { lineWithoutKey } = await import('../client/proposal.ts');
  return argv.map(lineWithoutKey);
}

/** @param argv what goes on once it is corrected; nothing where no one has typed it. */
function reportError(
  terminal: Terminal,
  error: unknown,
  argv: readonly string[],
  streams: Streams,
): ExitCode {
  if (error instanceof StopError) return reportStop(terminal, error, argv);
  // The reader of our output, such as `head`, has closed it. That is no error.
  if (isReaderGone(error, streams.stdout)) return EXIT.done;
  return reportUnexpected(terminal, error, streams);
}

function reportStop(terminal: Terminal, { detail, exitCode }: StopError, argv: readonly string[]): ExitCode {
  terminal.fail(stopShown(goingOn(detail, argv)), detail.leastBudget);
  return exitCode;
}

/** With the command that goes on: with the word that was meant, or the same where that stands in a file. */
function goingOn(detail: StopDetail, argv: readonly string[]): StopDetail {
  const { again, next } = detail;
  if (again === undefined || detail.nextCommand !== undefined || argv.length === 0) return detail;
  const words = again === 'mended' ? argv : withMeant(argv, again);
  const first = typedWords(next).endsWith('?') ? 'Correct it there, then' : 'Then';
  const whole = words === argv ? phrase`${next} ${typing`${first} ${AGAIN.typed}:`}` : next;
  return { ...detail, next: whole, nextCommand: commandLine(words) };
}

function reportUnexpected(terminal: Terminal, error: unknown, streams: Streams): ExitCode {
  const debug = streams.env.ROWONCE_DEBUG === '1';
  if (debug && error instanceof Error) terminal.warn(error.stack ?? '');
  const refused = systemStop(error);
  if (refused !== undefined) return reportStop(terminal, refused, []);
  terminal.fail(
    stopShown({
      code: 'bug',
      message: bugWords(error),
      next: debug
        ? 'This is a bug of Rowonce: please report it with the output above.'
        : 'This is a bug of Rowonce: please report it with the output of the same command under ' +
          'ROWONCE_DEBUG=1.',
    }),
  );
  return EXIT.bug;
}

/**
 * The terminal until commander has read the options, so that a wrong command line is answered as JSON too.
 */
function terminalFor(argv: readonly string[], streams: Streams): Terminal {
  const options = argv.slice(0, optionsEnd(argv));
  const has = (option: string): boolean => options.includes(option);
  return openTerminal({ json: has('--json'), quiet: has('--quiet'), noColor: has('--no-color') }, streams);
}

/**
 * Reports a result that could not be written. The exit code is that of the command unless that was a success.
 */
function reportUnwritten(terminal: Terminal, error: Error, exitCode: ExitCode): ExitCode {
  if (exitCode !== EXIT.done && exitCode !== EXIT.attention) return exitCode;
  terminal.warn(`The result could not be written to standard output: ${messageOf(error)}.`);
  terminal.warn(
    'Make room where standard output goes, then run the same command again: nothing is bought twice.',
  );
  return EXIT.usage;
}

/** Resolves when everything written to the stream has left this process. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** The room for new objects. V8 by itself goes up to 64 MiB in a long list, even if few of them are alive. */
const ENOUGH_BYTES = 16 * 1024 * 1024;

const GROWTH = '--semi-space-growth-factor=2';
const NO_GROWTH = '--semi-space-growth-factor=1';

/** Most commands have ended by then, and need not load what looks at collections. */
const LONG_MS = 300;

/** What new objects get at first. */
const FIRST_MIB = 4;

/**
 * Has V8 take less memory. It takes sizes from the command line alone, and a second start with a longer one
 * would cost every command 30 ms; by how much to grow, it reads each time that it grows.
 */
function keepGarbageLow(): void {
  setFlagsFromString('--heap-growing-percent=100');
  setFlagsFromString(`--min-semi-space-size=${FIRST_MIB}`);
  setFlagsFromString(NO_GROWTH);
  setTimeout(growToEnough, LONG_MS).unref();
}

async function growToEnough(): Promise<void> {
  const { PerformanceObserver } = await import('node:perf_hooks');
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    setFlagsFromString((young?.space_size ?? 0) < ENOUGH_BYTES ? GROWTH : NO_GROWTH);
  }).observe({ entryTypes: ['gc'] });
}
