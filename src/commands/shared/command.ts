import { z } from 'zod';
import type { OwnDialect } from '../../client/dialect.ts';
import type { Clock } from '../../core/clock.ts';
import { type StopError, type Typed, takingOnly } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import type { ExitCode } from '../../core/stops.ts';
import type { OwnOperation } from '../../job/own-operation.ts';
import type { BatchRange } from '../../ledger/ledger.ts';

/**
 * The contract of a command. One file in `commands/` defines one command for every face: the terminal's flags
 * and help, the library's function, the reference. The input of a command is one zod object, in which each
 * entry says its meaning and how it is typed.
 */

// --------------------------------------------------------------------------------------------- what it takes

/** The meaning of an entry in a command's input, and how it is typed. */
export interface EntryInfo {
  readonly about: string;
  /**
   * The name of the value in `--help`, such as `<file>`; left out for a flag without a value. `<word...>`
   * takes several words.
   */
  readonly value?: string;
  /**
   * Left out: the entry's name, with hyphens. Two entries may share one flag: pairs go to the entry that is a
   * record, other words to the entry that is a text.
   */
  readonly flag?: string;
  readonly short?: string;
  /** Whether the entry is a word of the command line without a flag. */
  readonly isArgument?: true;
  /** Whether the flag is typed once for each of its values. */
  readonly isRepeated?: true;
  /** A pair in the right form, for a user who has typed it wrong. */
  readonly example?: string;
  /** The opposite flag, such as `--no-open`. */
  readonly negation?: string;
  /** Gives the word of a choice for another text with the same meaning, such as `comma` for `,`. */
  readonly meant?: (text: string) => string | undefined;
  /** The heading of the entry in `--help`; left out: among the usual entries, which come first. */
  readonly group?: string;
  /**
   * The meaning of the entry on the page, which names no place of the machine; left out: the same as for a
   * terminal.
   */
  readonly page?: OnPage;
}

/**
 * `list`: the id of a list that was brought. `job`: the name of an operation, or of a job that `serve` was
 * given, or the words of a job. `jobs`: names of such jobs. `batch`: the id of a batch, which is required.
 * `shipped`: the word of a dialect that comes with the program. `key`: the text of a key, which goes to the
 * standard input of the command. `optional_key`: the same, which may be left out. `seen_plan`: the id of a
 * plan that a person has seen, which is required unless a few rows are tried by `sample`. `none`: not for the
 * page.
 */
export type OnPage =
  | 'list'
  | 'job'
  | 'jobs'
  | 'batch'
  | 'shipped'
  | 'key'
  | 'optional_key'
  | 'seen_plan'
  | 'none';

export const entryInfos = z.registry<EntryInfo>();

/** An entry that is typed as a flag. @param value `<rows>`; left out for a flag that is on or off. */
export function flag<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  value?: string,
  more: Partial<EntryInfo> = {},
): Schema {
  entryInfos.add(schema, { about, ...(value === undefined ? {} : { value }), ...more });
  return schema;
}

/** A flag that is on or left out. */
export const onOff = (about: string, more: Partial<EntryInfo> = {}) =>
  flag(z.boolean().optional(), about, undefined, more);

/** A flag with a text, which may be left out. @param value `<file>`. */
export const text = (about: string, value: string, more: Partial<EntryInfo> = {}) =>
  flag(z.string().optional(), about, value, more);

/** Entries that `--help` has under a heading of their own. */
export function underHeading<Shape extends Readonly<Record<string, z.ZodType>>>(
  group: string,
  shape: Shape,
): Shape {
  for (const schema of Object.values(shape)) {
    const how = entryInfos.get(schema);
    if (how !== undefined) entryInfos.add(schema, { ...how, group });
  }
  return shape;
}

/**
 * An entry that is typed as a word without a flag. The arguments of a command stand in the order in which
 * they are typed.
 */
export function argument<Schema extends z.ZodType>(
  schema: Schema,
  about: string,
  more: Partial<EntryInfo> = {},
): Schema {
  entryInfos.add(schema, { about, isArgument: true, ...more });
  return schema;
}

// -------------------------------------------------------------------------------------- what it is done with

/** The input and output of a command. Only results go to stdout; progress, words and errors go to stderr. */
export interface Console {
  /** True when `--json` was given: one JSON object on stdout and nothing else there. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether a person sits in front of stdin and stderr. */
  readonly interactive: boolean;
  /** Whether a person reads stderr and wants to: it is a terminal, and not that of a build server. */
  readonly watched: boolean;
  /** A line of results on stdout. Silent under `--json`. */
  print(line: string): void;
  /** A line of words on stderr. Silent under `--quiet`. */
  say(line: string): void;
  /**
   * A line on stderr that `--quiet` does not silence: a problem, which is `alarming`, or the next command to
   * run.
   */
  warn(line: string, tone?: 'alarming'): void;
  /** Shows lines that the next status replaces, if a person reads stderr. Any other output clears them. */
  status(...lines: readonly string[]): void;
  /** Tells the page that has started the command what it has counted or met; no one hears it elsewhere. */
  soFar(counts: object): void;
  /** The one object of `--json`; ignored without it. */
  result(value: object): void;
  /** Asks a yes-or-no question; false when no one can answer. */
  agrees(question: string): Promise<boolean>;
  /** Asks on the terminal; undefined when no one can answer. `hidden` does not show what is typed. */
  ask(question: string, options?: { readonly hidden?: boolean }): Promise<string | undefined>;
}

/** An event of a worker. */
export type WorkerEvent =
  /** The store is open, and these accounts are served. */
  | { readonly kind: 'ready'; readonly accounts: readonly string[] }
  /** Nothing can be spent from the store for now. The worker tries again. */
  | { readonly kind: 'waiting'; readonly why: string }
  /** The queue has answered. */
  | { readonly kind: 'beat' }
  | ({ readonly kind: 'taken' } & BatchRange)
  | ({ readonly kind: 'done'; readonly rows: number } & BatchRange)
  /** A later run goes on with the range. */
  | ({ readonly kind: 'handed_back'; readonly stopped: StopError } & BatchRange)
  | ({ readonly kind: 'failed'; readonly why: string } & BatchRange)
  | { readonly kind: 'note'; readonly message: string };

/** Objects that a program gives to a call beside its data. */
export interface Own {
  /**
   * Once it is aborted with a StopError, nothing new is sent; answers to requests in flight are still
   * recorded.
   */
  readonly signal?: AbortSignal;
  /** @param path the list, where a call works on several. */
  readonly onEvent?: (event: RunEvent, path?: string) => void;
  /** Receives messages about the store for the user. */
  readonly tell?: (fact: string) => void;
  readonly clock?: Clock;
  /** Operations that are not built in, which a job may name. */
  readonly operations?: readonly OwnOperation[];
  /** Dialects that replace the account's dialect files, at most one for each vendor. */
  readonly dialects?: readonly OwnDialect[];
  /** The stream that gets the output, instead of a file; `false`: no output is written. */
  readonly output?: NodeJS.WritableStream | false;
}

/** Where a command runs: a terminal, or a program that calls it. */
export interface Host {
  readonly console: Console;
  /**
   * The words that were typed behind the program's name; for a call, those of the command line with the same
   * meaning.
   */
  readonly words: readonly string[];
  /** The same words with another word in the place of an argument. */
  wordsWith(argument: string, other: string): readonly string[];
  /** Empty for a terminal. */
  readonly ownParts: Own;
}

// ---------------------------------------------------------------------------------------------- what it says

/**
 * The messages of a command at its end: an object for programs and, on a terminal without `--json`, its
 * lines.
 */
export interface Report<Output extends object = object> {
  /** Left out by a command that has already printed everything. A stop under `stopped` is printed last. */
  readonly object?: Output;
  /** Lines of results on stdout. */
  readonly lines?: readonly string[];
  /** Words on stderr behind the lines, which `--quiet` does not silence. */
  readonly warnings?: readonly string[];
  /** Words on stderr at the end: the next command. */
  readonly advice?: readonly string[];
  /** Left out: `done`. */
  readonly exitCode?: ExitCode;
}

type Entries = Readonly<Record<string, string | undefined>>;
type Face = 'terminal' | 'page' | 'library';

export interface Command<Input extends z.ZodObject = z.ZodObject, Output extends object = object> {
  /** The word that is typed; for a command in a group, both words. */
  readonly name: string;
  readonly summary: string;
  /** Further facts for the user, in `--help` and in the reference. */
  readonly details?: string;
  /** A command line that works as it stands in a checkout, behind the program's name. */
  readonly example: string;
  /** The faces that have the command; left out: all. */
  readonly faces?: readonly Face[];
  /**
   * Whether the page starts a process for the command. `long`: the page waits for its answer. `spends`: it
   * runs alone for its store, and goes on without the page.
   */
  readonly work?: 'long' | 'spends';
  readonly input: Input;
  readonly output?: z.ZodType<Output>;
  /** Gives the entry of each word without a flag, where the order of the words does not decide. */
  entriesOf?(...words: readonly (string | undefined)[]): Entries | Promise<Entries>;
  run(input: z.output<Input>, host: Host): Promise<Report<NoInfer<Output>>>;
}

/**
 * Several commands under one name, each with a word of its own behind that name. The page has those that say
 * so.
 */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly details?: string;
  readonly example: string;
  readonly commands: readonly Command[];
}

/**
 * Lets the compiler infer the types of a command from its zod objects. Its stops offer no answer that the
 * command does not take.
 */
export function command<Input extends z.ZodObject, Output extends object>(
  of: Command<Input, Output>,
): Command<Input, Output> {
  return {
    ...of,
    run: (input, host) =>
      of.run(input, host).catch((error: unknown) => {
        throw takingOnly(error, (choice) => takesFlag(of.input, choice));
      }),
  };
}

/** Whether a command has the flag, and takes the value behind it. */
export function takesFlag({ shape }: z.ZodObject, { flag: typed, value }: Typed): boolean {
  const entries: readonly (readonly [string, z.ZodType])[] = Object.entries(shape);
  return entries.some(([name, schema]) => {
    const how = entryInfos.get(schema);
    const isTyped = `--${how?.flag ?? name.replaceAll('_', '-')}` === typed;
    return isTyped && schema.safeParse(value ?? true).success;
  });
}
