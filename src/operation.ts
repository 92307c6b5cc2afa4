import type { Outcome } from './row.ts';

/**
 * The contract of an operation: what is done for a row, as a pure function of what has been answered.
 * One file in `operations/` is one operation; its name is its name in YAML, on the command line and in the page.
 * `docs/adding-an-operation.md` walks through one.
 */

export type Vendor = 'provider' | 'service';

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * What becomes of a call whose answer was lost, so that nobody knows whether the vendor acted on it:
 * - `hold`: it may have been charged. What the dialect offers to find out is used; without it the user decides.
 * - `repeat`: sending it again is harmless, for the reason given.
 */
export type IfLost = 'hold' | { readonly repeat: string };

/** One request to a vendor, by what it asks and not by how it is sent. Paths, methods and prices are the dialect's. */
export interface Call {
  /** The logical operation: an entry of the dialect's `operations`. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  readonly ifLost: IfLost;
  /** The service's project on which the call acts. */
  readonly project?: string;
  /**
   * Changes only: the sequence number of the last settled change of the same subject. Part of the call key and not
   * of the request, so that the same change may be made again another day and is never answered from an older one.
   */
  readonly after?: number;
}

/** What the ledger holds for a settled call, as an operation sees it. */
export type Answer =
  | { readonly kind: 'found'; readonly fields: JsonValue }
  | { readonly kind: 'no_match' }
  | { readonly kind: 'refused'; readonly words: string };

/** The answer to that call, or undefined when it has not been settled. */
export type Answered = (call: Call) => Answer | undefined;

export type Step =
  | { readonly kind: 'send'; readonly call: Call }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export const send = (call: Call): Step => ({ kind: 'send', call });
export const end = (outcome: Outcome): Step => ({ kind: 'end', outcome });

/** A value after normalising: usable, blank, or a problem described by a clause such as "the checksum fails". */
export type Normalised =
  | { readonly kind: 'usable'; readonly value: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'unusable'; readonly problem: string };

/** One input of an operation, to which a column of the file is mapped. */
export interface InputField {
  readonly name: string;
  /** For `plan` and the documentation: what belongs here, in one clause. */
  readonly about: string;
  /** Column headers that surely mean this input, in lower case with everything but letters and digits removed. */
  readonly aliases: readonly string[];
}

/** Text of the mapped columns by input name. An input without a column is absent. */
export type RowInput = Readonly<Record<string, string>>;

/** What a job may say about how its rows are treated. */
export interface OperationOptions {
  /** Identifiers tried in order, `abn+domain` for two in one call; undefined: the operation's own order. */
  readonly waterfall?: readonly string[];
  /** Inputs for which the vendor has no field: no call may have them. Left out: none. */
  readonly unaskable?: readonly string[];
}

export type Prepared<Input> =
  | { readonly kind: 'ready'; readonly input: Input }
  | { readonly kind: 'invalid'; readonly reason: string };

export interface Operation<Input = unknown> {
  readonly name: string;
  /** One sentence for `--help`, the documentation and the page. */
  readonly summary: string;
  readonly vendor: Vendor;
  /** Inputs in the order in which they are documented. */
  readonly inputs: readonly InputField[];
  /** What a waterfall may name; empty when the operation has none. */
  readonly tiers: readonly string[];
  /** Validates and normalises a row before anything is paid for. Pure. */
  prepare(row: RowInput, options: OperationOptions): Prepared<Input>;
  /**
   * The next call, or how the row ended, given what has been answered. Pure: a run that resumes replays it over the
   * ledger, so the same answers must always give the same step. At most 20 calls a row.
   */
  next(input: Input, answered: Answered): Step;
}

/** Keeps the input's type inside one file; the rest of the program handles every operation alike. */
export function defineOperation<Input>(operation: Operation<Input>): Operation {
  return operation as Operation;
}
