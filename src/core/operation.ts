import type { Change, Subject, SubjectFacts, Team } from './membership.ts';
import type { Outcome, RowNumber } from './row.ts';

/**
 * The contract of an operation: what is done for a row, as a pure function of what has been answered. One
 * file in `operations/` is one operation; its name is its name in YAML, on the command line and in the page.
 * `docs/internals/adding.md` walks through one.
 */

export type Vendor = 'provider' | 'service';

/** Methods of requests. A GET carries its parameters in the query, the others in a JSON body. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * What becomes of a call whose answer was lost, so that nobody knows whether the vendor acted on it:
 * - `hold`: it may have been charged. What the dialect offers to find out is used; without it the user
 *   decides.
 * - `repeat`: sending it again is harmless, for the reason given.
 */
export type IfLost = 'hold' | { readonly repeat: string };

/**
 * One request to a vendor, by what it asks and not by how it is sent. Paths, methods and prices are the
 * dialect's.
 */
export interface Call {
  /** The logical operation: an entry of the dialect's `operations`. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  readonly ifLost: IfLost;
  /** The service's project on which the call acts. */
  readonly project?: string;
  /**
   * Changes only: the sequence number of the last settled change of the same subject. Part of the call key
   * and not of the request, so that the same change may be made again another day and is never answered from
   * an older one.
   */
  readonly after?: number;
  /**
   * Present exactly when `after` is: what the change does to its subject. No part of the key, nor of the
   * request.
   */
  readonly change?: Change;
  /** Whole credits that it may cost at most, where the job says so; left out: what the dialect says. */
  readonly creditsMost?: number;
  /**
   * What the call asked was erased then, with the answer; nothing of it but its operation is left. No part of
   * the key.
   */
  readonly erasedAtMs?: number;
}

/** What the ledger holds for an answered call, as an operation sees it. */
export type Answer =
  /**
   * `results`: the list that it holds, where it holds one. `remark`: what a row that ends with it says about
   * it.
   */
  | {
      readonly kind: 'found';
      readonly remark?: string;
      readonly fields: JsonValue;
      readonly results?: readonly JsonValue[] | undefined;
    }
  /** For a change: the vendor does not have what the call names, and says so in these words. */
  | { readonly kind: 'no_match'; readonly words?: string }
  | { readonly kind: 'refused'; readonly words: string };

/** The answer to that call, or undefined when it has not been settled. */
export type Answered = (call: Call) => Answer | undefined;

export type Step =
  | { readonly kind: 'send'; readonly call: Call }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export const send = (call: Call): Step => ({ kind: 'send', call });
export const end = (outcome: Outcome): Step => ({ kind: 'end', outcome });

/**
 * A value after normalising: usable, blank, or a problem described by a clause such as "the checksum fails".
 */
export type Normalised =
  | { readonly kind: 'usable'; readonly value: string }
  | { readonly kind: 'blank' }
  | { readonly kind: 'unusable'; readonly problem: string };

export interface InputField {
  readonly name: string;
  /** What belongs here, in one clause, for `plan` and the documentation. */
  readonly about: string;
  /**
   * Column headers that surely mean this input, in lower case with everything but letters and digits removed.
   */
  readonly aliases: readonly string[];
  /**
   * Columns of lists about anything else are called so as well: by that alone no file is taken to fit the
   * operation.
   */
  readonly generic?: readonly string[];
  readonly required?: true;
  /**
   * Whether a cell shows by itself that it is meant for this input, whatever its column is called. Left out:
   * none does.
   */
  readonly looksRight?: (cell: string) => boolean;
  /** No two people share it, so what most rows of a list say in its column is a label. */
  readonly isOnes?: true;
  /**
   * Its cells carry a checksum, so that a column of them is known for sure, also beside what the header says.
   */
  readonly checksummed?: true;
}

/** Text of the mapped columns by input name. An input without a column is absent. */
export type RowInput = Readonly<Record<string, string>>;

export interface OperationOptions {
  /**
   * Identifiers tried in order, `abn+domain` for two in one call, `all:abn+domain` for those of them that a
   * row has; undefined: the operation's own order.
   */
  readonly waterfall?: readonly string[];
  /** Inputs for which the vendor has no field: no call may have them. Left out: none. */
  readonly unaskable?: readonly string[];
  /** The job's entries that are this operation's alone, as the job file writes them. */
  readonly settings?: JsonObject;
  /** Rowonce wrote the list itself, to undo a batch. */
  readonly isOurList?: true;
  /** What the account says for rows that do not. */
  readonly projectId?: string;
  readonly organizationId?: string;
}

/**
 * What a job entry decides: which calls are made (`asks`), so that another value makes another batch, or how
 * far a run may go (`allows`), which may differ from run to run.
 */
type SettingRole = 'asks' | 'allows';

export type Prepared<Input> =
  | { readonly kind: 'ready'; readonly input: Input }
  | { readonly kind: 'invalid'; readonly reason: string };

/**
 * What a planned change does to its subject, in a word. The words are kept with plans, so none of them is
 * renamed.
 */
export const PLANNED_ACTIONS = ['create_project', 'invite', 'change_role', 'remove', 'call'] as const;
export type PlannedAction = (typeof PLANNED_ACTIONS)[number];

/**
 * A row of a change, ready to be worked off: kept with the batch, so that a run that resumes does what was
 * planned.
 */
export interface PlannedWork {
  /**
   * The subject that the row alters, as far as it is known; two rows with the same subject must want the
   * same.
   */
  readonly subject: Subject;
  /**
   * What the row wants its subject to be, in a word: a role, or `none`. Equal for rows that want the same.
   */
  readonly to: string;
  /** What is done so that it becomes that. Left out: `call`, or nothing is sent. */
  readonly action?: PlannedAction;
  /** What it is now, as far as is known. */
  readonly from?: string;
  readonly email?: string;
  /** The project as the list calls it. */
  readonly project?: string;
  /** What the row's repaired cells were read as, for its reason. */
  readonly repaired?: string;
  /** What the list or the service says of the person that the ledger does not have, or has otherwise. */
  readonly note?: string;
  /** What is known of the person from now on, because the list says so and nothing is sent. */
  readonly learns?: SubjectFacts;
  /** The same in the other projects that the row names. */
  readonly also?: readonly PlannedWork[];
  /** How it ended by being planned, where the row has others that are to be done. */
  readonly ended?: Outcome;
}

/** The work of a row in each of its projects. */
export function partsOf<Work extends PlannedWork>(work: Work): readonly [Work, ...Work[]] {
  return [work, ...((work.also ?? []) as readonly Work[])];
}

export interface ChangePart<Input, Work extends PlannedWork> {
  /**
   * Whether it describes how things should be, so that a finished list is worked again when they are not so
   * any more.
   */
  readonly isState: boolean;
  /**
   * The row with what is known of whom it alters, as `next` is given it. Pure; what it returns is plain JSON.
   */
  resolve(input: Input, team: Team, options: OperationOptions): Prepared<Work>;
  /**
   * Work that no row asks for: people whom the list does not have any more. Left out: none.
   * @param invalid the rows for which nothing is done. Whom one of them may mean gets work that says so and
   * sends nothing.
   */
  missing?(
    planned: readonly Work[],
    team: Team,
    options: OperationOptions,
    invalid: readonly InvalidRow[],
  ): readonly Work[];
}

/** A row that asks for nothing, because it is invalid. */
export interface InvalidRow {
  readonly row: RowNumber;
  /** Left out: nobody can be sure which cell of it belongs to which column. */
  readonly cells?: RowInput;
}

/** @typeParam Work what `next` is given: for a change the resolved row, else the prepared one. */
/**
 * Inputs that say where a person goes, or who it is: a column for one of them is read, or named as left
 * unread.
 */
export const PLACES: readonly string[] = ['project', 'project_id', 'user_id'];

export interface Operation<Input = unknown, Work = Input> {
  readonly name: string;
  /** One sentence for `--help`, the documentation and the page. */
  readonly summary: string;
  readonly vendor: Vendor;
  /** The dialect's entry for its calls, of an operation that is not built in: no dialect has one. */
  readonly request?: JsonObject;
  readonly inputs: readonly InputField[];
  /**
   * The inputs among `PLACES`, of an operation that must not pass over a column for one of them, whether it
   * has that input or not.
   */
  readonly heeds?: readonly InputField[];
  /** The job says by itself what is asked, so that no input needs a column. Left out: at least one does. */
  readonly needsNoColumn?: true;
  /** What a waterfall may name; empty when the operation has none. */
  readonly tiers: readonly string[];
  /** Entries that a job may have for it. Left out: none. */
  readonly settings?: Readonly<Record<string, SettingRole>>;
  /**
   * The operations that are done for a row one after the other (`core/steps.ts`). Left out: it is one by
   * itself.
   */
  readonly steps?: readonly Operation[];
  /** Left out: it only reads. */
  readonly change?: ChangePart<Input, Work & PlannedWork>;
  /** Answers hold lists, which go into a file of this name: `people` for `….people.csv`. Left out: none. */
  readonly resultsFile?: string;
  /**
   * The operation as a job shapes it, where its inputs are the job's to name. @throws StopError `job`.
   * @param mapped inputs for which the job's `columns` name a column; left out: none.
   */
  shapedBy?(settings: JsonObject, mapped?: readonly string[]): Operation;
  /** Validates and normalises a row before anything is paid for. Pure. */
  prepare(row: RowInput, options: OperationOptions): Prepared<Input>;
  /**
   * `next` looks into an answer that found something: at its fields, its results or its next page. Left out:
   * it only asks whether something was found, so nobody reads the body for it, and `fields` is null.
   */
  readonly readsAnswers?: true;
  /**
   * The next call, or how the row ended, given what has been answered. Pure: a run that resumes replays it
   * over the ledger, so the same answers must always give the same step. At most 20 calls, in each project of
   * a row.
   */
  next(input: Work, answered: Answered): Step;
}

/** Keeps the input's type inside one file; the rest of the program handles every operation alike. */
export function defineOperation<Input, Work = Input>(operation: Operation<Input, Work>): Operation {
  return operation as unknown as Operation;
}

/** The step of a row that asks once. @param missed how it ends where nothing is found. */
export function askOnce(call: Call, answered: Answered, by: string, missed = `no match by ${by}`): Step {
  const answer = answered(call);
  switch (answer?.kind) {
    case undefined:
      return send(call);
    case 'found':
      return end({ kind: 'matched', matchedBy: by });
    case 'no_match':
      return end({ kind: 'no_match', reason: missed });
    case 'refused':
      return end({ kind: 'refused', reason: `the vendor refused ${by || 'it'} (${answer.words})` });
  }
}
