import { z } from 'zod';
import type { OwnDialect } from '../../client/dialect.ts';
import type { Clock } from '../../core/clock.ts';
import type { ExitCode, StopError } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import type { OwnOperation } from '../../job/own-operation.ts';
import type { BatchRange } from '../../ledger/ledger.ts';

/**
 * The contract of a command. One file in `commands/` is one command for every face: the terminal's flags and
 * help, the library's function, the reference. What it takes is one zod object, in which each entry says what
 * it is and how it is typed.
 */

// --------------------------------------------------------------------------------------------- what it takes

/** What an entry of a command's input is, and how it is typed. */
export interface EntryInfo {
  readonly about: string;
  /**
   * The value in `--help`, such as `<file>`; left out where the flag alone says it. `<word...>` takes several
   * words.
   */
  readonly value?: string;
  /**
   * Left out: the entry's name, with hyphens. Two entries may share one: pairs go to the record, other words
   * to the text.
   */
  readonly flag?: string;
  readonly short?: string;
  /** A word of the command line that needs no flag. */
  readonly isArgument?: true;
  /** A pair in its right form, for who has typed it wrong. */
  readonly example?: string;
  /** Whether there is a flag that says no, such as `--no-open`. */
  readonly negation?: string;
  /** The word of a choice that is meant by another text, such as `comma` by `,`. */
  readonly meant?: (text: string) => string | undefined;
  /** Under which heading `--help` has it; left out: among the usual ones, which come first. */
  readonly group?: string;
  /** What it is for the page, which names no place of the machine; left out: the same as for a terminal. */
  readonly page?: OnPage;
}

/**
 * `list`: the id of a list that was brought. `job`: the name of an operation, or of a job that `serve` was
 * given. `batch`: its id, which is never left out. `needed`: not to be left out. `ticket`: not named, because
 * the answer has tickets for it. `none`: not for the page.
 */
export type OnPage = 'list' | 'job' | 'batch' | 'needed' | 'ticket' | 'none';

export const said = z.registry<EntryInfo>();

/** An entry that is typed as a flag. @param value `<rows>`; left out for one that is on or off. */
export function flag<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  value?: string,
  more: Partial<EntryInfo> = {},
): Schema {
  said.add(schema, { about, ...(value === undefined ? {} : { value }), ...more });
  return schema;
}

/** Entries that `--help` has under a heading of their own. */
export function under<Shape extends Readonly<Record<string, z.ZodType>>>(group: string, shape: Shape): Shape {
  for (const schema of Object.values(shape)) {
    const how = said.get(schema);
    if (how !== undefined) said.add(schema, { ...how, group });
  }
  return shape;
}

/**
 * An entry that is typed as a word without a flag. Those of a command stand in the order in which they are
 * typed.
 */
export function argument<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  more: Partial<EntryInfo> = {},
): Schema {
  said.add(schema, { about, isArgument: true, ...more });
  return schema;
}

// -------------------------------------------------------------------------------------- what it is done with

/** The input and output of a command. Only results go to stdout; progress, words and errors go to stderr. */
export interface Console {
  /** True when `--json` was given: one JSON object on stdout and nothing else there. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** A person sits in front of stdin and stderr. */
  readonly interactive: boolean;
  /** A person looks at stderr, and wants to: it is a terminal, and none of a build server. */
  readonly watched: boolean;
  readonly color: boolean;
  /** A line of results on stdout. Silent under `--json`. */
  print(line: string): void;
  /** A line of words on stderr. Silent under `--quiet`. */
  say(line: string): void;
  /**
   * A line on stderr that `--quiet` does not silence: what went wrong, which is `alarming`, and what to run
   * next.
   */
  warn(line: string, tone?: 'alarming'): void;
  /** Shows lines that the next ones replace, where somebody watches; whatever else is said clears them. */
  status(...lines: readonly string[]): void;
  /** The one object of `--json`; ignored without it. */
  result(value: object): void;
  /** Asks a yes-or-no question; false when nobody can answer. */
  agrees(question: string): Promise<boolean>;
  /** Asks on the terminal; undefined when nobody can answer. `hidden` does not show what is typed. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
}

/** What a worker tells. */
export type WorkerEvent =
  /** The store is open, and these accounts are served. */
  | { readonly kind: 'ready'; readonly accounts: readonly string[] }
  /** The store cannot be spent from for now: it is tried again. */
  | { readonly kind: 'waiting'; readonly why: string }
  /** The queue has answered. */
  | { readonly kind: 'beat' }
  | ({ readonly kind: 'taken' } & BatchRange)
  | ({ readonly kind: 'done'; readonly rows: number } & BatchRange)
  /** A later run goes on with it. */
  | ({ readonly kind: 'handed_back'; readonly stopped: StopError } & BatchRange)
  | ({ readonly kind: 'failed'; readonly why: string } & BatchRange)
  | { readonly kind: 'note'; readonly message: string }
  /** What happens to a row of a range. */
  | { readonly kind: 'within'; readonly event: RunEvent };

/** What a program gives to a call beside its data. */
export interface Own {
  /**
   * Once it is aborted with a StopError, nothing new is sent; answers to requests in flight are still
   * recorded.
   */
  readonly signal?: AbortSignal;
  /** @param path the list, where a call works on several. */
  readonly onEvent?: (event: RunEvent, path?: string) => void;
  /** What a worker does. */
  readonly onWorkerEvent?: (event: WorkerEvent) => void;
  /** Receives messages about the store for the user. */
  readonly tell?: (fact: string) => void;
  readonly clock?: Clock;
  /** Operations that are not built in, which a job may name. */
  readonly operations?: readonly OwnOperation[];
  /** Dialects in the place of the account's dialect files, one for each vendor at most. */
  readonly dialects?: readonly OwnDialect[];
  /** Where the output goes in the place of a file; `false`: nowhere. */
  readonly output?: NodeJS.WritableStream | false;
}

/** Where a command runs: a terminal, or a program that calls it. */
export interface Host {
  readonly console: Console;
  /** What was typed behind the program's name; for a call, the command line that says the same. */
  readonly words: readonly string[];
  /** The same with another word in the place of an argument. */
  wordsWith(argument: string, other: string): readonly string[];
  /** Empty for a terminal. */
  readonly own: Own;
}

// ---------------------------------------------------------------------------------------------- what it says

/**
 * What a command has to say at its end: its object to programs and, on a terminal without `--json`, its
 * lines.
 */
export interface Report<Output extends object = object> {
  /** Left out by a command that has printed all by itself. What is `stopped` in it is printed last. */
  readonly object?: Output;
  /** Lines of results on stdout. */
  readonly lines?: readonly string[];
  /** Words on stderr behind them, which `--quiet` does not silence. */
  readonly warnings?: readonly string[];
  /** Words on stderr at the end: what to do next. */
  readonly advice?: readonly string[];
  /** Left out: `done`. */
  readonly exitCode?: ExitCode;
}

type Entries = Readonly<Record<string, string | undefined>>;
type Face = 'terminal' | 'page' | 'library';

export interface Command<Input extends z.ZodObject = z.ZodObject, Output extends object = object> {
  /** The word that is typed; of a command in a group, both words. */
  readonly name: string;
  readonly summary: string;
  /** What a user has to know besides, for `--help` and the reference. */
  readonly details?: string;
  /** A command line that works as it stands in a checkout, behind the program's name. */
  readonly example: string;
  /** Who may ask for it; left out: everybody. */
  readonly faces?: readonly Face[];
  /**
   * Of the page it is a process of its own, which takes `long`, or `spends`: then one at a time for each
   * store.
   */
  readonly work?: 'long' | 'spends';
  readonly input: Input;
  readonly output?: z.ZodType<Output>;
  /** Which entry each word without a flag is, where that is not told by their order. */
  entriesOf?(...words: readonly (string | undefined)[]): Entries | Promise<Entries>;
  run(input: z.output<Input>, host: Host): Promise<Report<NoInfer<Output>>>;
}

/** A command that is several, each with a word of its own behind the name; all are the terminal's alone. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly example: string;
  readonly commands: readonly Command[];
}

/** Lets the compiler infer the types of a command from its zod objects. */
export function command<Input extends z.ZodObject, Output extends object>(
  of: Command<Input, Output>,
): Command<Input, Output> {
  return of;
}
