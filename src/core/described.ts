import { invariant } from './errors.ts';

/**
 * The part of operations that is data, which `operations/NAME.ts` alone says. Rooms that import no operation
 * are handed it once, before anything else: each command begins with it, and the page gets it from its
 * server.
 */

/** The effect of a call on the service, or at the vendor. */
export type Effect =
  | 'creates_project'
  | 'invites'
  | 'takes_invite_back'
  | 'sets_role'
  | 'removes'
  /** A request of the job's own. */
  | 'anything';

/** What is true of a call whichever vendor is asked. */
export interface CallDescription {
  /** What one call may be asked by. Undefined: the call brings whatever the job, or a program, says. */
  readonly parameters: readonly string[] | undefined;
  /** What a call may be asked by besides, where the dialect's `by`, or the job, says with which others. */
  readonly together: readonly string[];
  /**
   * Those that are names of people and companies. In capitals they are the same question, so that both
   * spellings have one key.
   */
  readonly folded: readonly string[];
  /** The values that a dialect may place in an answer under `gives`. `any`: the job names them. */
  readonly gives: readonly string[] | 'any';
  /** The value without which an answer has found nothing; undefined: any value will do. */
  readonly wants: string | undefined;
  /** Whether a call may take by an id what an earlier call of its name has found. */
  readonly takesId: boolean;
  readonly finds: 'company' | 'person' | 'email' | 'phone' | 'verdict' | undefined;
  /** Whom a found answer describes, so that its own words tell whether it is about the one in the list. */
  readonly isAbout: 'company' | 'person' | undefined;
  /**
   * The part of an answer that goes with a forgotten person whom it names. `whole`: all of the call.
   * `in_lists`: the person's member of each list of several, and all of the call where the person stands
   * elsewhere. `values`: every value that names the person, because the answer is about others.
   */
  readonly erased: 'whole' | 'in_lists' | 'values';
  /** Undefined: the call only reads. */
  readonly changes: Effect | undefined;
  /** Whether the call brings method, path and body with it. */
  readonly bringsRequest: boolean;
}

/** What is said of an operation in words, and where the page offers it. */
export interface OperationDescription {
  /** What a row stands for, one and several. */
  readonly noun: readonly [one: string, several: string];
  /** What it does or finds, as a heading has it: `companies`, `addresses checked`. */
  readonly title: string;
  /** Inputs that only together say what is meant, so that they are asked in one question. */
  readonly together: readonly string[];
  /** The operation that checks what is found; undefined: nothing does. */
  readonly checkedBy: string | undefined;
  /** What the page offers it for, and the value with which it begins to fill a list's blanks. */
  readonly offered: { readonly finds: boolean; readonly fills: string | undefined; readonly team: boolean };
  /** By what a person asks for one by hand; none: no one does. */
  readonly tried: readonly string[];
  /** Each call that it makes, by the name that it has in a dialect. */
  readonly calls: Readonly<Record<string, CallDescription>>;
}

/** An operation as the page gets it. */
export interface DescribedOperation extends OperationDescription {
  readonly name: string;
  readonly vendor: 'provider' | 'service';
  readonly inputs: readonly string[];
  /** Its answers hold lists, which go into a file of this name. */
  readonly resultsFile: string | undefined;
}

/**
 * A call of an operation that is not built in. No one here knows its answers, so nothing is left of one that
 * names a forgotten person.
 */
export const OF_ANOTHER: CallDescription = {
  parameters: undefined,
  together: [],
  folded: [],
  gives: [],
  wants: undefined,
  takesId: false,
  finds: undefined,
  isAbout: undefined,
  erased: 'whole',
  changes: undefined,
  bringsRequest: false,
};

/** An operation whose rows stand for rows, and that the page does not offer. */
export const unoffered = (title: string, calls: OperationDescription['calls']): OperationDescription => ({
  noun: ['row', 'rows'],
  title,
  together: [],
  checkedBy: undefined,
  offered: { finds: false, fills: undefined, team: false },
  tried: [],
  calls,
});

interface Described {
  readonly operations: ReadonlyMap<string, DescribedOperation>;
  readonly calls: ReadonlyMap<string, CallDescription>;
}

let known: Described | undefined;

/** Is called once, before anything is asked of what follows. */
export function registerOperations(operations: readonly DescribedOperation[]): void {
  const calls = operations.flatMap((each) => Object.entries(each.calls));
  known = { operations: new Map(operations.map((each) => [each.name, each])), calls: new Map(calls) };
}

function all(): Described {
  invariant(known !== undefined, 'the operations are not set');
  return known;
}

export const described = (): readonly DescribedOperation[] => [...all().operations.values()];

/** Undefined of an operation that is not built in. */
export const describedOperation = (name: string): DescribedOperation | undefined =>
  all().operations.get(name);

export const describedCall = (name: string): CallDescription => all().calls.get(name) ?? OF_ANOTHER;

/** Whether a call sends a person a mail. */
export const isInvite = (call: string): boolean => describedCall(call).changes === 'invites';

export const makesProject = (call: string): boolean => describedCall(call).changes === 'creates_project';

/** Whether the job says what a call sends. The rest of a dialect's entry applies to such a call, too. */
export const bringsRequest = (call: string): boolean => describedCall(call).bringsRequest;

/** The names of all calls for which this holds. */
export const callsThat = (holds: (call: CallDescription) => boolean): readonly string[] =>
  [...all().calls].flatMap(([name, call]) => (holds(call) ? [name] : []));
