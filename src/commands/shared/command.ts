import type { Command } from 'commander';
import type { ExitCode, StopDetail } from '../../core/errors.ts';

/**
 * The contract of a command of the command line. One file in `cli/` is one command; its name is what the user types.
 */

/** The input and output of a command. Only results go to stdout; progress, words and errors go to stderr. */
export interface Console {
  /** True when `--json` was given: one JSON object on stdout and nothing else there. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** A person sits in front of stdin and stderr. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** A line of results on stdout. Silent under `--json`. */
  print(line: string): void;
  /** A line of words on stderr. Silent under `--quiet`. */
  say(line: string): void;
  /** A line on stderr that `--quiet` does not silence: what went wrong, which is `alarming`, and what to run next. */
  warn(line: string, tone?: 'alarming'): void;
  /** Shows a line that the next one replaces, on a terminal; elsewhere nothing. An empty one clears it. */
  status(line: string): void;
  /** The one object of `--json`; ignored without it. */
  result(value: object): void;
  /** Asks a yes-or-no question; false when nobody can answer. */
  agrees(question: string): Promise<boolean>;
  /** Asks on the terminal; undefined when nobody can answer. `hidden` does not show what is typed. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
}

/** What stopped the work of a command, and the command that goes on. */
export type Stopped = StopDetail & { readonly command: string };

/** What a command has to say at its end. The frame prints the lines or, under `--json`, the object. */
export interface Report {
  /** The one object of `--json`. */
  readonly object: object;
  /** Lines of results on stdout. */
  readonly lines?: readonly string[];
  /** Words on stderr behind them, which `--quiet` does not silence. */
  readonly warnings?: readonly string[];
  /** Words on stderr at the end: what to do next. */
  readonly advice?: readonly string[];
  readonly stopped?: Stopped | undefined;
  /** Left out: `done`. */
  readonly exitCode?: ExitCode;
}

export interface CliCommand {
  readonly name: string;
  /** One sentence for `rowonce --help`. */
  readonly summary: string;
  /** A command line that works as it stands in a checkout, behind the program's name; shown by `--help`. */
  readonly example: string;
  /** Examples of its subcommands, by name. */
  readonly examples?: Readonly<Record<string, string>>;
  /**
   * Declares arguments and options on the commander command, and attaches what it does with `run`, which turns
   * StopErrors and bugs into messages and exit codes. `--json`, `--quiet` and `--store` are declared for all.
   */
  configure(command: Command, run: RunCommand): void;
}

/**
 * Wraps what a command does: `command.action(run((console, ...args) => …))`. A command that has printed all by itself
 * returns no report but the exit code.
 */
export type RunCommand = <Args extends unknown[]>(
  action: (console: Console, ...args: Args) => Promise<Report | ExitCode>,
) => (...args: Args) => Promise<void>;
