import type { OperationDescription } from './described.ts';
import { finding, NO_FINDINGS, refusedBy } from './finding.ts';
import type { Findings } from './findings.ts';
import type { EmailVerdict } from './given.ts';
import type { Change, Subject, SubjectFacts, Team } from './membership.ts';
import { counted } from './plain-text.ts';
import type { Outcome, RowNumber } from './row.ts';

/**
 * The contract of an operation: the work for a row, as a pure function of the answers so far. One file in
 * `operations/` is one operation; its name is its name in YAML, on the command line and in the page.
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
 * The treatment of a call with a lost answer, so that it is not known whether the vendor acted on it:
 * - `hold`: it may have been charged. A free request of the dialect finds out; without one, the user decides.
 * - `repeat`: sending it again is harmless, for the reason given.
 */
export type IfLost = 'hold' | { readonly repeat: string };

/**
 * One request to a vendor, by what it asks and not in the form in which it is sent. Paths, methods and prices
 * are the dialect's.
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
   * Present exactly when `after` is present: the effect of the change on its subject. It is part of neither
   * the key nor the request.
   */
  readonly change?: Change;
  /** The most whole credits that the call may cost, where the job says so; left out: the dialect says it. */
  readonly creditsMost?: number;
  /**
   * The time at which it was erased, with the answer; only the operation is left of it. It is not
   * part of the key.
   */
  readonly erasedAtMs?: number;
}

/** The ledger's record of an answered call, as an operation sees it. */
export type Answer =
  /**
   * `results`: the list in the answer, where it has one. `remark`: the remark of a row that ends with the
   * answer.
   */
  | {
      readonly kind: 'found';
      readonly remark?: Findings;
      readonly fields: JsonValue;
      readonly results?: readonly JsonValue[] | undefined;
    }
  /** For a change: the vendor does not have the subject of the call, and says so. */
  | { readonly kind: 'no_match'; readonly findings?: Findings }
  | { readonly kind: 'refused'; readonly findings: Findings };

/** The answer to that call, or undefined when it has not been settled. */
export type Answered = (call: Call) => Answer | undefined;

export type NextAction =
  | { readonly kind: 'send'; readonly call: Call }
  | { readonly kind: 'end'; readonly outcome: Outcome };

export const send = (call: Call): NextAction => ({ kind: 'send', call });
export const end = (outcome: Outcome): NextAction => ({ kind: 'end', outcome });

export interface InputField {
  readonly name: string;
  /** The meaning of the input in one clause, for `plan` and the documentation. */
  readonly about: string;
  /**
   * Column headers that surely mean this input, in lower case with everything but letters and digits removed.
   */
  readonly aliases: readonly string[];
  /**
   * Headers that other lists also use for something else: a file is not taken to fit the operation by these
   * alone.
   */
  readonly generic?: readonly string[];
  readonly required?: true;
  /**
   * Whether a cell shows by itself that it belongs to this input, whatever its column is called. Left out: no
   * cell does.
   */
  readonly looksRight?: (cell: string) => boolean;
  /** Whether a cell shows by itself that it is about others: a person, where companies are looked up. */
  readonly isOthers?: (cell: string) => boolean;
  /**
   * Whether a cell has nothing of the user's for this input, so that what an earlier step finds takes its
   * place. Left out: only a cell without text.
   */
  readonly isBlank?: (cell: string) => boolean;
  /**
   * Whether a row is prepared as if the cell had no text. Left out: where the words for nothing say so.
   * @param cellOf the other cells of the row, by their inputs.
   */
  readonly countsAsBlank?: (
    cell: string,
    cellOf: (input: string) => string | undefined,
    nullNames?: NullNames,
  ) => boolean;
  /** No two people share the value, so a text that most rows of a list have in its column is a label. */
  readonly isOnes?: true;
  /** The cells carry a checksum, so a column of them is recognised for sure, also against its header. */
  readonly checksummed?: true;
  /**
   * No row is asked by the input unless the dialect's `by`, or the job, names the others. Until then no
   * column is guessed for it.
   */
  readonly needsBy?: true;
}

/** Text of the mapped columns by input name. An input without a column is absent. */
export type RowInput = Readonly<Record<string, string>>;

/** By input. */
export type NullNames = Readonly<Record<string, readonly string[]>>;

export type TellsApart = (askedCall: Call, by: Call) => boolean;

export interface OperationOptions {
  /**
   * The identifiers in the order in which they are tried: `abn+domain` for two in one call, `all:abn+domain`
   * for those of them that a row has; undefined: the operation's own order.
   */
  readonly waterfall?: readonly string[];
  /** Inputs for which the vendor has no field, so no call may have them. Left out: none. */
  readonly unaskable?: readonly string[];
  /** The hosts whose profiles the vendor takes. None, or left out: any. */
  readonly profiles?: readonly string[];
  /** Hosts of platforms that are companies' own in this list. Left out: none. */
  readonly acceptHosts?: readonly string[];
  /** By input, the words such as Null that are nothing in its column, and no one's name. Left out: none. */
  readonly nullNames?: NullNames;
  /** Inputs whose columns are called ACN, in which a number may lack its first zeros. Left out: none. */
  readonly acnIn?: readonly string[];
  /** Addresses of departments and machines are people in this list. Left out: no row is looked up by them. */
  readonly roleAddresses?: 'send';
  /**
   * Whether a row is asked by what tells it apart from other rows (`by`), and not by what they all would be
   * asked first (`asked`). Left out: no row is.
   */
  readonly tellsApart?: TellsApart;
  /**
   * Inputs of later steps with a column an that earlier step may fill, each with that column:
   * `enrich-person.email` → `Email`. Left out: none.
   */
  readonly fed?: Readonly<Record<string, string>>;
  /** The job's entries for this operation alone, as the job file writes them. */
  readonly settings?: JsonObject;
  /** Whether Rowonce wrote the list itself, to undo a batch. */
  readonly isOurList?: true;
  /** The account's project, for rows without one. */
  readonly projectId?: string;
  readonly organizationId?: string;
}

/**
 * The effect of a job entry: it decides which calls are made (`asks`), so that another value makes another
 * batch, or how far a run may go (`allows`), which may differ from run to run.
 */
type SettingRole = 'asks' | 'allows';

export type Prepared<Input> =
  | { readonly kind: 'ready'; readonly input: Input }
  /** `remark`: the complaints about its cells, of a row that is asked about something else. */
  | { readonly kind: 'invalid'; readonly findings: Findings; readonly remark?: Findings };

/**
 * The effect of a planned change on its subject, in a word. The words are kept with plans, so none of them is
 * renamed.
 */
export const PLANNED_ACTIONS = ['create_project', 'invite', 'change_role', 'remove', 'call'] as const;
export type PlannedAction = (typeof PLANNED_ACTIONS)[number];

/**
 * A planned row of a change. It is kept with the batch, so that a run that resumes does exactly what was
 * planned.
 */
export interface PlannedWork {
  /**
   * The subject that the row alters, as far as it is known. Two rows with the same subject must want the
   * same.
   */
  readonly subject: Subject;
  /**
   * The state that the row wants for its subject, in a word: a role, or `none`. Equal for rows that want the
   * same.
   */
  readonly to: string;
  /** The action that leads to this state. Left out: `call`, or nothing is sent. */
  readonly action?: PlannedAction;
  /** The present state, as far as it is known. */
  readonly from?: string;
  readonly email?: string;
  /** The project's name in the list. */
  readonly project?: string;
  /** How the repaired cells of the row were read, which its outcome says. */
  readonly repaired?: Findings;
  /** Facts in the list or from the service that the ledger lacks or contradicts. */
  readonly note?: string;
  /** Facts about the person that hold from now on, because the list says so and nothing is sent. */
  readonly learns?: SubjectFacts;
  /** The same in the other projects that the row names. */
  readonly also?: readonly PlannedWork[];
  /** The outcome from planning, where the row has other work that is to be done. */
  readonly ended?: Outcome;
}

/** The work of a row in each of its projects. */
export function partsOf<Work extends PlannedWork>(work: Work): readonly [Work, ...Work[]] {
  return [work, ...((work.also ?? []) as readonly Work[])];
}

export interface ChangePart<Input, Work extends PlannedWork> {
  /**
   * Whether the operation describes a wanted state, so that a finished list is worked again when the state
   * has changed.
   */
  readonly isState: boolean;
  /**
   * The row with the known facts about its subject, in the form that `next` takes. Pure; the result is plain
   * JSON.
   */
  resolve(input: Input, team: Team, options: OperationOptions): Prepared<Work>;
  /**
   * Work that no row asks for, such as people whom the list no longer has. Left out: none.
   * @param idle the rows for which nothing is done. A person whom an invalid one may mean gets work that
   *   says so and sends nothing. A person whom one that is left out names is on the list, and gets none.
   */
  missing?(
    planned: readonly Work[],
    team: Team,
    options: OperationOptions,
    idle: readonly IdleRow[],
  ): readonly Work[];
  /** What is known of the access of a person whose row the job leaves out. Left out: nothing. */
  accessNow?(cells: RowInput, team: Team, options: OperationOptions): Findings;
  /** The names in the cells of a row without a known meaning. Left out: none. */
  unknown?(cells: RowInput, options: OperationOptions): UnknownNames;
}

export interface UnknownNames {
  readonly projects: readonly string[];
  /** Words for a role. */
  readonly roles: readonly string[];
  /** Names of the list that the job does not know: those projects, and others that would be made. */
  readonly named: readonly string[];
}

/** A row that asks for nothing, because it is invalid, or because the job leaves it out. */
export interface IdleRow {
  readonly row: RowNumber;
  readonly isLeftOut?: boolean;
  /** The cells of the row. Left out: no one can be sure which cell belongs to which column. */
  readonly cells?: RowInput;
}

/** A step as one of its accounts is asked for it. */
interface AskedOperation {
  /** The position of the account among those of the job. */
  readonly account: number;
  readonly operation: Operation;
  /** Inputs for which the vendor of the account has no field. */
  readonly unaskable: readonly string[];
  readonly profiles?: readonly string[];
}

/** How the addresses that a step finds are checked: those without one of these verdicts count as blank. */
export interface AddressCheck {
  /** Asked in this order, until one says another verdict than unknown. */
  readonly checkers: readonly Checker[];
  readonly accept: readonly EmailVerdict[];
}

export interface Checker {
  /** The position of the account that is asked, among those of the job. */
  readonly account: number;
  readonly operation: Operation;
}

/** @typeParam Work what `next` is given: for a change the resolved row, else the prepared one. */
export interface Operation<Input = unknown, Work = Input> {
  readonly name: string;
  /** One sentence for `--help`, the documentation and the page. */
  readonly summary: string;
  readonly vendor: Vendor;
  /** All that is true of it and is data. */
  readonly described: OperationDescription;
  /** The dialect's entry for the calls of an operation that is not built in, because no dialect has one. */
  readonly request?: JsonObject;
  readonly inputs: readonly InputField[];
  /**
   * Inputs that say to which project a person goes, or who the person is, whether the operation has them or
   * not. A column for one of them is read, or named as left unread.
   */
  readonly heeds?: readonly InputField[];
  /**
   * Whether the job alone says what is asked, so that no input needs a column. Left out: at least one input
   * does.
   */
  readonly needsNoColumn?: true;
  /** The names that a waterfall may use; empty when the operation has no waterfall. */
  readonly tiers: readonly string[];
  /**
   * The tiers that the vendor takes, the surest first: without a waterfall a row is asked once, by the first
   * that it has whole. Left out: a row is asked by each of its identifiers until one matches.
   */
  readonly by?: readonly string[];
  /** The entries that a job may have for the operation. Left out: none. */
  readonly settings?: Readonly<Record<string, SettingRole>>;
  /**
   * The operations that are done for a row one after the other (`core/steps.ts`). Left out: the operation is
   * a single step.
   */
  readonly steps?: readonly Operation[];
  /** For a step of a job: the accounts that are asked, in their order. Left out: the first of the job. */
  readonly askedOperations?: readonly AskedOperation[];
  /** For a step of a job that finds addresses. Left out: they are not checked. */
  readonly check?: AddressCheck;
  /** For a step of a job: the finder's own verdicts with which its address is taken. Left out: all. */
  readonly accepts?: readonly EmailVerdict[];
  /** Left out: the operation only reads. */
  readonly change?: ChangePart<Input, Work & PlannedWork>;
  /**
   * The answers hold lists, which go into a file of this name: `people` for `….people.csv`. Left out: they
   * hold none.
   */
  readonly resultsFile?: string;
  /** The most that a call may cost, where the job says so. Left out: what the dialect says. */
  readonly creditsMost?: number;
  /**
   * The operation as a job shapes it, where the job names its inputs. @throws StopError `job`.
   * @param mapped inputs for which the job's `columns` name a column; left out: none.
   */
  shapedBy?(settings: JsonObject, mapped?: readonly string[]): Operation;
  /**
   * The operation as one vendor takes it. Left out: all vendors take the same.
   * @param by the dialect's; undefined: it says nothing.
   * @param named inputs that the job names, which are taken in any case.
   */
  askedBy?(by: readonly string[] | undefined, named: readonly string[]): Operation;
  /** An input without which no row of a list can be asked by any of `by`; undefined where some can. */
  lacks?(mapped: readonly string[]): string | undefined;
  /**
   * Validates and normalises rows before anything is paid for. What the options say is read once for all rows
   * of a list. Pure.
   */
  preparer(options: OperationOptions): (row: RowInput) => Prepared<Input>;
  /**
   * Whether `next` reads the body of an answer that found something: its fields, its results or its next
   * page. Left out: `next` only asks whether something was found, so no one reads the body for it, and
   * `fields` is null.
   */
  readonly readsAnswers?: true;
  /**
   * The next call, or how the row ended, by the answers so far. Pure: a run that resumes replays it over the
   * ledger, so the same answers must always give the same step. At most 20 calls in each project of a row.
   */
  next(input: Work, answered: Answered): NextAction;
}

/** Keeps the input's type inside one file; the rest of the program handles every operation alike. */
export function defineOperation<Input, Work = Input>(operation: Operation<Input, Work>): Operation {
  return operation as unknown as Operation;
}

/** The step of a row with a single call. @param missed the end of the row where nothing is found. */
export function askOnce(
  call: Call,
  answered: Answered,
  by: string,
  missed: Findings = finding('no_match', { by: [by] }),
): NextAction {
  const answer = answered(call);
  switch (answer?.kind) {
    case undefined:
      return send(call);
    case 'found':
      return end({ kind: 'matched', matchedBy: by, findings: NO_FINDINGS });
    case 'no_match':
      return end({ kind: 'no_match', findings: missed });
    case 'refused':
      return end({ kind: 'refused', findings: refusedBy(by, answer.findings) });
  }
}

// ---------------------------------------------------------------------------------- planned actions in words

const NOUNS: Readonly<Record<PlannedAction, string>> = {
  create_project: 'new project',
  invite: 'invite',
  change_role: 'role',
  remove: 'removal',
  call: 'call',
};

type Counts = Readonly<Partial<Record<PlannedAction, number>>>;

/** @param behind the words behind the count of an action, such as ` in Sales`; left out: none. */
export function countedActions(counts: Counts, behind: (action: PlannedAction) => string = () => ''): string {
  const some = PLANNED_ACTIONS.filter((action) => (counts[action] ?? 0) > 0);
  return some.map((action) => counted(counts[action] ?? 0, NOUNS[action]) + behind(action)).join(', ');
}

/**
 * The words for changes that were done as far as anybody can tell, although the service's answers do not
 * mention them.
 */
export function withoutWordWords(count: number): string {
  return `${counted(count, 'change')} confirmed without details: the service said yes and nothing more`;
}
