import leven from 'leven';
import { foreignWords } from './plain-text.ts';

/**
 * The three ways in which something ends badly.
 * - A *row problem* is a value (`row.ts`, outcome `invalid`), never an exception.
 * - The end of a run is one `StopError`: a fact with names and numbers, and one sentence on what to do.
 * - A bug of ours is an `invariant`: exit code 1.
 */

/** The meaning of a stop to the caller of the command; `docs/errors.md` lists them. */
export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  attention: 3,
  budget: 4,
  paused: 75,
  busy: 76,
  key: 77,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * Every reason for which a run ends before its last row. One entry, one meaning, one section in
 * `docs/errors.md`.
 */
export const STOP_CODES = {
  usage: EXIT.usage,
  job: EXIT.usage,
  account: EXIT.usage,
  input: EXIT.usage,
  output: EXIT.usage,
  address: EXIT.usage,
  moved: EXIT.usage,
  store: EXIT.usage,
  store_damaged: EXIT.usage,
  store_lost: EXIT.usage,
  store_version: EXIT.usage,
  disk_full: EXIT.usage,
  consent: EXIT.usage,
  unsupported: EXIT.usage,
  guard: EXIT.usage,
  plan: EXIT.usage,
  clock: EXIT.usage,
  system: EXIT.usage,
  budget: EXIT.budget,
  share: EXIT.budget,
  account_budget: EXIT.budget,
  extra_credits: EXIT.budget,
  vendor_credits: EXIT.budget,
  dearer: EXIT.budget,
  paused: EXIT.paused,
  doubts: EXIT.paused,
  later: EXIT.paused,
  busy: EXIT.busy,
  key: EXIT.key,
  interrupted: EXIT.interrupted,
  terminated: EXIT.terminated,
} as const satisfies Record<string, ExitCode>;

export type StopCode = keyof typeof STOP_CODES;

export interface StopDetail {
  readonly code: StopCode;
  /** The fact, with names and numbers. */
  readonly message: string;
  /** One imperative sentence: what the user does now. */
  readonly next: string;
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
  /** What the same command takes as a person's answer; only where a person has to choose or to agree. */
  readonly choices?: readonly StopChoice[];
  /**
   * A budget of the batch, in credits, that is enough for the refused work; only where a budget is reached or
   * missing.
   */
  readonly leastBudget?: number;
  /** How the same command goes on: with the word that was meant, or once a file is mended. */
  readonly again?: Slip | 'mended';
}

/** A flag with which the same command goes on. */
export interface StopChoice {
  readonly flag: string;
  /** Left out for a flag that takes none. */
  readonly value?: string;
  /** What a person says by the flag, such as `go on without them`. */
  readonly says: string;
}

/** The answer to a stop that only a word of `--accept` goes past. */
export const accepting = (value: string, says: string): StopChoice => ({ flag: '--accept', value, says });

/** The answer of a person who agrees to what was shown. */
export const agreeing = (says: string): StopChoice => ({ flag: '--yes', says });

/** The same in one word each: `yes`, or a word that `--accept` takes. Undefined where none is taken. */
export function answersIn(choices: StopDetail['choices'] = []): readonly string[] | undefined {
  const words = choices.flatMap(({ flag, value }) => {
    if (flag === '--yes') return ['yes'];
    return flag === '--accept' && value !== undefined ? [value] : [];
  });
  return words.length === 0 ? undefined : words;
}

/** A word that was typed wrong, and the one that was probably meant. */
export interface Slip {
  readonly typed: string;
  readonly meant: string;
}

/** What to do, in one sentence, and how the same command then goes on. */
export type Advice = string | Pick<StopDetail, 'next' | 'again'>;

/**
 * The error that ends a run. Nothing bought is lost by it: everything settled is in the ledger before it is
 * thrown.
 */
export class StopError extends Error {
  readonly detail: StopDetail;
  readonly code: StopCode;
  readonly next: string;
  readonly exitCode: ExitCode;
  readonly resumeAtMs: number | undefined;
  readonly nextCommand: string | undefined;
  readonly account: StopDetail['account'];
  readonly plan: string | undefined;
  readonly choices: StopDetail['choices'];
  /** Each answer that the same command takes, in one word: `yes`, or a word that `--accept` takes. */
  readonly answers: readonly string[] | undefined;
  readonly leastBudget: number | undefined;

  constructor(detail: StopDetail, options?: ErrorOptions) {
    super(detail.message, options);
    this.name = 'StopError';
    this.detail = detail;
    this.code = detail.code;
    this.next = detail.next;
    this.exitCode = STOP_CODES[detail.code];
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
export function stop(code: StopCode, message: string, advice: Advice, nextCommand?: string): StopError {
  const said = typeof advice === 'string' ? { next: advice } : advice;
  return new StopError({ code, message, ...said, ...(nextCommand === undefined ? {} : { nextCommand }) });
}

/** Returns a stop as a value, and throws any other error again: that is a bug of ours. */
export function asStop(error: unknown): StopError {
  if (!(error instanceof StopError)) throw error;
  return error;
}

/** A fact that our own code guarantees. When it does not hold, the program is wrong, not the user. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`Rowonce has a bug: ${message}`);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
 * The longest word that is compared. Comparing costs time for each pair of letters, and nobody types longer
 * words.
 */
const LONGEST_WORD = 200;

/** The most characters of a list that are shown, because nobody reads more. */
const LONGEST_LIST = 700;

/**
 * The known word that was probably meant, in its own spelling; undefined when none is near. Case is ignored.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
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

/** The nearest known word, or else those that contain the word or are contained in it, such as `company`. */
export function meantBy(word: string, known: readonly string[]): readonly string[] {
  const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  const typed = letters(word);
  const isPart = (part: string, of: string): boolean => part.length > 2 && of.includes(part);
  const sorted = (text: string): string => [...text].toSorted().join('');
  // Two letters that changed places count as two slips, which is much in a short word.
  const mixed = known.find((each) => typed !== '' && sorted(letters(each)) === sorted(typed));
  const match = mixed ?? nearest(word, known);
  if (match !== undefined) return [match];
  return known.filter((each) => isPart(typed, letters(each)) || isPart(letters(each), typed));
}

const MOST_SUGGESTED = 3;

/** "Did you mean X?" where one is near, else the whole list: one sentence on what to do. */
export function suggestion(word: string, known: readonly string[]): string {
  const meant = meantBy(word, known).slice(0, MOST_SUGGESTED);
  if (meant.length > 0) return `Did you mean ${meant.map((each) => foreignWords(each)).join(' or ')}?`;
  return known.length === 0 ? 'Leave it out.' : `Known are: ${foreignWords(known.join(', '), LONGEST_LIST)}.`;
}

/** The same, for a word of the command line, which is then shown with the word that was meant. */
export function meantWord(typed: string, known: readonly string[]): Advice {
  const [meant] = meantBy(typed, known);
  const next = suggestion(typed, known);
  return meant === undefined ? next : { next, again: { typed, meant } };
}
