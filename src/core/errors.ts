import leven from 'leven';
import { type Doing, doesIn, Phrase, typedWords, type Words } from './phrase.ts';
import { foreignWords } from './plain-text.ts';
import { type ChoiceTo, type ExitCode, STOPS, type StopChoice, type StopCode } from './stops.ts';

/**
 * The three ways in which something ends badly.
 * - A *row problem* is a value (`row.ts`, outcome `invalid`), never an exception.
 * - The end of a run is one `StopError`: a fact with names and numbers, and one sentence on what to do.
 * - A bug of ours is an `invariant`: exit code 1.
 */

/** A stop takes no other answers than its code may. */
export type StopDetail = StopFacts &
  ({ readonly code: StopCode; readonly choices?: never } | { [Code in StopCode]: Answered<Code> }[StopCode]);

interface Answered<Code extends StopCode> {
  readonly code: Code;
  /** What the same command takes as a person's answer; only where a person has to choose or to agree. */
  readonly choices: readonly ChoiceTo<Code>[];
}

interface StopFacts {
  /** The fact, with names and numbers. */
  readonly message: Words;
  /** One imperative sentence: what the user does now. */
  readonly next: Words;
  /** The account that was stopped; only where a run asks accounts. One of several is named. */
  readonly account?: { readonly identity: string; readonly name?: string };
  /** The time from which going on makes sense, in ms since 1970; only for pauses. */
  readonly resumeAtMs?: number;
  /** The next command to type: the command line of that sentence, or the one that goes on. */
  readonly nextCommand?: string;
  /**
   * The id of the plan as it is now; only where a plan has moved, or where a person is to agree to exactly
   * that plan.
   */
  readonly plan?: string;
  /**
   * A budget of the batch, in credits, that is enough for the refused work; only where a budget is reached or
   * missing.
   */
  readonly leastBudget?: number;
  /** How the same command goes on: with the word that was meant, or once a file is mended. */
  readonly again?: Slip | 'mended';
}

/** The answer to a stop that only a word of `--accept` goes past. */
export const accepting = <const Word extends string>(value: Word, says: string) =>
  ({ flag: '--accept', value, says }) as const;

/** The answer of a person who agrees to what was shown. */
export const agreeing = (says: string) => ({ flag: '--yes', says }) as const;

/** A flag, with the value behind it where it takes one. */
export interface Typed {
  readonly flag: string;
  readonly value?: string | undefined;
}

/** The same in one word each: `yes`, or a word that `--accept` takes. Undefined where none is taken. */
export function answersIn(choices: readonly Typed[] = []): readonly string[] | undefined {
  const words = choices.flatMap(({ flag, value }) => {
    if (flag === '--yes') return ['yes'];
    return flag === '--accept' && value !== undefined ? [value] : [];
  });
  return words.length === 0 ? undefined : words;
}

type Said = Pick<StopFacts, 'next'> & { readonly again?: StopFacts['again'] | undefined };

/** What to do, as data. */
export const doesOf = ({ next, again }: Said): readonly Doing[] => [
  ...doesIn(next),
  ...(again === undefined ? [] : [{ again: true } as const]),
];

/** A word that was typed wrong, and the one that was probably meant. */
export interface Slip {
  readonly typed: string;
  readonly meant: string;
}

/** What to do, in one sentence, and how the same command then goes on. */
export type Advice = Words | Pick<StopDetail, 'next' | 'again'>;

/**
 * The error that ends a run. Nothing bought is lost by it: everything settled is in the ledger before it is
 * thrown.
 */
export class StopError extends Error {
  readonly detail: StopDetail;
  readonly code: StopCode;
  /** What to do, as a terminal says it. */
  readonly next: string;
  /** What `next` names, as data. */
  readonly does: readonly Doing[];
  readonly exitCode: ExitCode;
  readonly resumeAtMs: number | undefined;
  readonly nextCommand: string | undefined;
  readonly account: StopDetail['account'];
  readonly plan: string | undefined;
  readonly choices: readonly StopChoice[] | undefined;
  /** Each answer that the same command takes, in one word: `yes`, or a word that `--accept` takes. */
  readonly answers: readonly string[] | undefined;
  readonly leastBudget: number | undefined;

  constructor(detail: StopDetail, options?: ErrorOptions) {
    super(typedWords(detail.message), options);
    this.name = 'StopError';
    this.detail = detail;
    this.code = detail.code;
    this.next = typedWords(detail.next);
    this.does = doesOf(detail);
    this.exitCode = STOPS[detail.code].exit;
    this.resumeAtMs = detail.resumeAtMs;
    this.nextCommand = detail.nextCommand;
    this.account = detail.account;
    this.plan = detail.plan;
    this.choices = detail.choices;
    this.answers = answersIn(detail.choices);
    this.leastBudget = detail.leastBudget;
  }
}

/** @param nextCommand the command line that `next` is about, exactly as it is typed. */
export function stop(code: StopCode, message: Words, advice: Advice, nextCommand?: string): StopError {
  const adviceParts = isWords(advice) ? { next: advice } : advice;
  return new StopError({
    code,
    message,
    ...adviceParts,
    ...(nextCommand === undefined ? {} : { nextCommand }),
  });
}

/** The end of what reads a file that is no list, in whatever way it is read. */
export class NoListError extends StopError {
  /** What stands behind the name of the file. */
  readonly fact: string;

  constructor(path: string, fact: string, next: Words) {
    super({ code: 'input', message: `${path} ${fact}`, next });
    this.fact = fact;
  }
}

/** Whether the advice says nothing of how the same command goes on. */
export const isWords = (advice: Advice): advice is Words =>
  typeof advice === 'string' || advice instanceof Phrase;

/** Returns a stop as a value, and throws any other error again: that is a bug of ours. */
export function asStop(error: unknown): StopError {
  if (!(error instanceof StopError)) throw error;
  return error;
}

/** The error; a stop without the answers that its command does not take. */
export function takingOnly(error: unknown, takes: (choice: StopChoice) => boolean): unknown {
  const { choices } = error instanceof StopError ? error : {};
  if (!(error instanceof StopError) || choices === undefined || choices.every(takes)) return error;
  const { choices: _, ...others } = error.detail;
  const taken = choices.filter(takes);
  const detail = { ...others, ...(taken.length === 0 ? {} : { choices: taken }) } as StopDetail;
  return new StopError(detail, { cause: error });
}

/** A fact that our own code guarantees. When it does not hold, the program is wrong, not the user. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Rowonce has a bug: ${message}`);
}

/** What the system says of a connection that failed, in words. */
const FAILED_CONNECTIONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no program listens at this address',
  ECONNRESET: 'the other side closed the connection',
  EPIPE: 'the other side closed the connection',
  ENOTFOUND: 'this host name has no address',
  EAI_AGAIN: 'the name server does not answer',
  ETIMEDOUT: 'the host does not answer',
  EHOSTUNREACH: 'no network leads to this address',
  ENETUNREACH: 'no network leads to this address',
  ECONNABORTED: 'the connection was closed',
};

export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  const words = Object.hasOwn(FAILED_CONNECTIONS, code) ? FAILED_CONNECTIONS[code] : undefined;
  return words === undefined ? error.message : `${words} (${error.message || code})`;
}

/**
 * The words for a bug. The ledger's rules are sentences, and name themselves by two words that mean nothing
 * to a user.
 */
export function bugWords(error: unknown): string {
  const message = messageOf(error);
  const rule = /\bmoney rule: (?<rule>.+)$/.exec(message)?.groups?.rule;
  return rule === undefined ? message : `The ledger refused to write what breaks its rule: ${rule}.`;
}

/** Whether the reader of the stream is gone, such as a `head` that has seen enough. */
export function isReaderGone(error: unknown, stream: { readonly isTTY?: boolean | undefined }): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  // On a terminal EIO means that its window was closed; on a file it means that the disk is broken.
  if (error.code === 'EIO') return stream.isTTY === true;
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED';
}

// ----------------------------------------------------------------------------------- the word that was meant

/**
 * A word that differs in more than half of its letters is another word and not a slip: `hodl` is still
 * `hold`.
 */
const SHARE_OF_SLIPS = 0.5;

/**
 * The longest word that is compared. Comparing costs time for each pair of letters, and no one types longer
 * words.
 */
const LONGEST_WORD = 200;

/** The most characters of a list that are shown, because no one reads more. */
const LONGEST_LIST = 700;

/**
 * The known word that was probably meant, in its own spelling; undefined when none is near. Case is ignored.
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const typed = word.toLowerCase();
  const slips = (each: string): number => leven(typed, each.toLowerCase());
  const near = known.filter(
    (each) => Math.max(word.length, each.length) <= LONGEST_WORD && isNear(typed, each.toLowerCase()),
  );
  return near.toSorted((a, b) => slips(a) - slips(b))[0];
}

const isSlip = (typed: string, known: string): boolean =>
  leven(typed, known) <= Math.max(1, Math.floor(typed.length * SHARE_OF_SLIPS));

/**
 * Each word is also compared by itself: "can view" shares most letters with "can edit", and means something
 * else.
 */
function isNear(typed: string, known: string): boolean {
  const words = typed.split(' ');
  const others = known.split(' ');
  const isByWords =
    words.length !== others.length || words.every((word, at) => isSlip(word, others[at] ?? ''));
  return isByWords && isSlip(typed, known);
}

/**
 * The known name of which a name is most likely a misspelling; undefined where it may be another name as
 * well, as `Team B` and `Atlas 2` are beside `Team A` and `Atlas 1`.
 */
export function nameMeant(name: string, known: readonly string[]): string | undefined {
  const wordsOf = (text: string): readonly string[] =>
    text
      .toLowerCase()
      .trim()
      .split(/[\s_-]+/);
  const nameWords = wordsOf(name);
  const isNear = (each: string): boolean => {
    const others = wordsOf(each);
    if (others.length !== nameWords.length || Math.max(name.length, each.length) > LONGEST_WORD) return false;
    const differing = nameWords.flatMap((word, at) =>
      word === others[at] ? [] : [[word, others[at] ?? '']],
    );
    return differing.length === 1 && differing.every(([word = '', other = '']) => isMisspelled(word, other));
  };
  return known.find(isNear);
}

/** Two letters that changed places are one slip. Short words and numbers differ because they are others. */
function isMisspelled(word: string, other: string): boolean {
  if (/\d/.test(word + other) || Math.min(word.length, other.length) < 4) return false;
  const isSwapped = [...word].toSorted().join('') === [...other].toSorted().join('');
  return leven(word, other) <= (isSwapped ? 2 : 1);
}

/** The nearest known word, or else those that contain the word or are contained in it, such as `company`. */
export function meantBy(word: string, known: readonly string[]): readonly string[] {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const typed = letters(word);
  const isPart = (part: string, of: string): boolean => part.length > 2 && of.includes(part);
  const sorted = (text: string): string => [...text].toSorted().join('');
  // Two letters that changed places count as two slips, which is much in a short word.
  const mixed = known.find((each) => typed !== '' && sorted(letters(each)) === sorted(typed));
  const match = mixed ?? nearestWord(word, known);
  if (match !== undefined) return [match];
  return known.filter((each) => isPart(typed, letters(each)) || isPart(letters(each), typed));
}

const MOST_SUGGESTED = 3;

/** "Did you mean X?" where one is near, else the whole list: one sentence on what to do. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = meantBy(word, known).slice(0, MOST_SUGGESTED);
  if (meant.length > 0) return `Did you mean ${meant.map((each) => foreignWords(each)).join(' or ')}?`;
  return known.length === 0
    ? 'Leave it out.'
    : `Use one of these: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
}

/** The same, for a word of the command line, which is then shown with the word that was meant. */
export function meantWord(typed: string, known: readonly string[]): Advice {
  const [meant] = meantBy(typed, known);
  const next = suggestion(typed, known);
  return meant === undefined ? next : { next, again: { typed, meant } };
}
