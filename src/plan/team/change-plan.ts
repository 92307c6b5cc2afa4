import { questionOf } from '../../core/call-key.ts';
import { invariant } from '../../core/errors.ts';
import { Team } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import {
  type Call,
  type JsonObject,
  type Operation,
  PLANNED_ACTIONS,
  type PlannedWork,
} from '../../core/operation.ts';
import type { Outcome, RowNumber } from '../../core/row.ts';
import { type Batch, type Credits, credits, type PlannedRow } from '../../ledger/ledger.ts';
import { type Account, requestsPerSecond } from '../../vendor/account/account.ts';
import { batchIdentityOf, batchKeyOf } from '../batch-key.ts';
import type { Plan, PlannedInput } from '../plan.ts';
import { type Pricing, pricingOf } from '../pricing.ts';
import type { PlanContext } from '../row-classification.ts';
import { conflictOutcomes } from './change-plan/conflicts.ts';
import { refusedBefore } from './change-plan/refused-before.ts';
import {
  factsOf,
  isWorkable,
  missingRows,
  type PreparedRow,
  preparedRows,
  projectsOf,
  type ResolvedRow,
  resolved,
  type Whom,
  type WorkablePart,
  type WorkableRow,
} from './change-plan/rows.ts';
import { type OwnUser, type RemoteMembers, withLive } from './remote-members.ts';

/**
 * What a run of this list would change in the service, before anything is sent. The rows are held in memory, which is
 * fine for teams: some 100,000 people at most.
 */
export interface ChangePlan {
  /** Of the file. */
  readonly rows: number;
  /** Rows that the file does not have, numbered on after its last one: people whom it does not name any more. */
  readonly rowsBeyond: number;
  /** What the ledger keeps with the batch, in the order of the rows. */
  readonly planned: readonly PlannedRow[];
  /** The same for people, in the same order. A row whose project is made first has two. */
  readonly changes: readonly PlannedChange[];
  /** Later rows that want what an earlier one wants already. */
  readonly duplicates: number;
  /** Requests when all goes well, and the most that they cost. */
  readonly calls: number;
  readonly creditsMost: Credits;
  /** Known in the projects concerned; somebody in two of them counts twice. */
  readonly people: number;
  /** Whose key it is, where the service says so. */
  readonly ownUser?: OwnUser;
  readonly inputSha256: string;
  /** The newest batch of this list, open or finished. An open one goes on as it was planned when it began. */
  readonly batch?: Batch;
}

/** Asks the service who is in these projects now; undefined where it does not say. Reads, costs nothing, alters nothing. */
export type AskTeam = (projects: readonly string[]) => Promise<RemoteMembers | undefined>;

export const CHANGE_ACTIONS = [...PLANNED_ACTIONS, 'unchanged', 'invalid', 'refused', 'in_doubt'] as const;

export type ChangeAction = (typeof CHANGE_ACTIONS)[number];

/** What would become of one row. */
export interface PlannedChange extends Whom {
  readonly row: RowNumber;
  readonly action: ChangeAction;
  readonly userId?: string;
  /** Logical operations in the order in which they are sent; empty when nothing is. */
  readonly calls: readonly string[];
  /** Why nothing is sent. */
  readonly reason?: string;
  /** No row of the file asks for it. */
  readonly beyond?: true;
  /** The batch that changed its subject last, as far as one did. */
  readonly lastBatch?: string;
}

/** Whether a run would send something. What waits for a lost answer does not count: the batch that lost it waits. */
export function hasWork({ changes }: ChangePlan): boolean {
  return changes.some(({ calls }) => calls.length > 0);
}

/**
 * Whether a run would begin to do what the plan says. An unfinished batch does what was planned when it began; a finished
 * one is over, unless its list says how things should be and finds them otherwise.
 */
export function beginsWork(plan: ChangePlan, { change }: Pick<Operation, 'change'>): boolean {
  if (plan.batch?.state === 'open') return false;
  return hasWork(plan) && (plan.batch?.state !== 'finished' || change?.isState === true);
}

/** The counts of every plan, of which no row is bought twice or looked up: a change is never answered by an older one. */
export function planOfChanges(plan: ChangePlan, account: Account): Plan {
  const { rows, changes, duplicates, calls, creditsMost } = plan;
  const rowsWith = (wanted: (change: PlannedChange) => boolean): number =>
    new Set(changes.filter((change) => change.beyond !== true && wanted(change)).map(({ row }) => row)).size;
  const perSecond = requestsPerSecond(account);
  return {
    rows,
    invalid: rowsWith(({ action }) => action === 'invalid'),
    duplicates,
    boughtBefore: 0,
    inDoubt: rowsWith(({ action }) => action === 'in_doubt'),
    toBuy: rowsWith((change) => change.calls.length > 0),
    credits: { most: creditsMost, expected: creditsMost },
    seconds: perSecond === undefined ? undefined : Math.ceil(calls / perSecond),
    reasons: [],
  };
}

/** @param askTeam left out: nothing but the ledger is asked. @throws StopError `input` where the file is damaged. */
export async function planChanges(
  order: PlanContext,
  input: PlannedInput,
  askTeam: AskTeam = async () => undefined,
): Promise<ChangePlan> {
  const { ledger, account } = order;
  const inputSha256 = input.survey?.sha256 ?? (await input.file.sha256());
  const batch = await ledger?.batchByKey(batchKeyOf(batchIdentityOf(order, input), inputSha256));
  const known = (await ledger?.subjects(account.identity)) ?? [];
  const prepared = await preparedRows(order, input);
  const remembered = new Team(known);
  // A batch that is open goes on as it was planned, whatever the service says by now.
  const live =
    batch?.state === 'open' ? undefined : await askTeam(projectsConcerned(order, prepared, remembered));
  const team = live === undefined ? remembered : new Team(withLive(known, live));
  const asked = resolved(order, prepared, team);
  const beyond = missingRows(order, asked, team);
  const workable = asked.filter(isWorkable);
  const refused =
    ledger !== undefined && batch?.state === 'finished'
      ? await refusedBefore(ledger, batch, workable, team)
      : [];
  const settled = new Map([...refused, ...conflictOutcomes(workable)]);
  const draft = new Draft(team, await pricingOf(order), settled);
  for (const row of asked) draft.add(row);
  for (const row of beyond) draft.add(row);
  const { planned, ...drafted } = draft.result();
  const inputs = new Map(prepared.map((row) => [row.row, row.input]));
  return {
    ...drafted,
    planned: planned.map((row) => {
      const of = inputs.get(row.row);
      return of === undefined ? row : { ...row, input: of };
    }),
    rows: asked.length,
    rowsBeyond: beyond.length,
    people: projectsOf([...asked, ...beyond]).reduce((sum, each) => sum + team.inProject(each).length, 0),
    inputSha256,
    ...present({ ownUser: live?.ownUser, batch }),
  };
}

function projectsConcerned(order: PlanContext, rows: readonly PreparedRow[], team: Team): readonly string[] {
  const asked = resolved(order, rows, team);
  return projectsOf([...asked, ...missingRows(order, asked, team)]);
}

// ---------------------------------------------------------------------------------------------------- the plan

/** A plan in the making. Rows come in their order, so that what several of them share is shown at the first. */
class Draft {
  readonly #team: Team;
  readonly #pricing: Pricing;
  /** Rows that are not worked off, whatever they want. */
  readonly #settled: ReadonlyMap<RowNumber, Outcome>;
  readonly #planned: PlannedRow[] = [];
  readonly #changes: PlannedChange[] = [];
  /** Calls that some row makes already: equal ones are made once. */
  readonly #made = new Set<string>();
  #duplicates = 0;
  #credits = 0;

  constructor(team: Team, pricing: Pricing, settled: ReadonlyMap<RowNumber, Outcome>) {
    this.#team = team;
    this.#pricing = pricing;
    this.#settled = settled;
  }

  add(row: ResolvedRow): void {
    if (row.kind === 'end') {
      this.#end(row, row.outcome, row.of);
      return;
    }
    const settled = this.#settled.get(row.row);
    if (settled?.kind === 'unchanged') this.#duplicates += 1;
    const of = { ...factsOf(row.work), ...this.#lastBatchOf(row.work) };
    if (settled !== undefined) this.#end(row, settled, of);
    else if (row.calls.length === 0) this.#end(row, row.outcome, of);
    else this.#work(row);
  }

  result(): Pick<ChangePlan, 'planned' | 'changes' | 'duplicates' | 'calls' | 'creditsMost'> {
    return {
      planned: this.#planned,
      changes: this.#changes,
      duplicates: this.#duplicates,
      calls: this.#made.size,
      creditsMost: credits(this.#credits),
    };
  }

  #end(
    { row, beyond }: Pick<ResolvedRow, 'row' | 'beyond'>,
    outcome: Outcome,
    of: Pick<PlannedChange, keyof Whom | 'lastBatch'>,
  ): void {
    this.#planned.push({ row, kind: 'end', outcome });
    const { reason } = outcome;
    this.#changes.push({
      row,
      action: actionOfOutcome(outcome),
      ...of,
      calls: [],
      ...present({ reason, beyond }),
    });
  }

  #work({ row, work, parts, beyond }: WorkableRow): void {
    // What `resolve` returns is plain JSON, by its contract.
    this.#planned.push({ row, kind: 'work', work: work as unknown as JsonObject });
    for (const part of parts) this.#show(row, part, beyond);
  }

  #show(row: RowNumber, { work, calls, outcome }: WorkablePart, beyond: true | undefined): void {
    const shown = {
      row,
      ...factsOf(work),
      ...this.#lastBatchOf(work),
      ...userOf(calls),
      ...present({ beyond }),
    };
    const doubt = this.#doubtOf(calls);
    if (doubt !== undefined) {
      this.#changes.push({ ...shown, action: 'in_doubt', calls: [], reason: doubt });
      return;
    }
    if (calls.length === 0) {
      const { reason } = outcome;
      const because = present({ reason });
      this.#changes.push({ ...shown, action: actionOfOutcome(outcome), calls: [], ...because });
      return;
    }
    const fresh = calls.filter((call) => this.#isFirst(call));
    const project = fresh.find(({ operation }) => operation === CREATE_PROJECT);
    const others = fresh.filter((call) => call !== project).map(({ operation }) => operation);
    if (project !== undefined) this.#changes.push(creationOf(row, project, work));
    if (others.length > 0) this.#changes.push({ ...shown, action: work.action ?? 'call', calls: others });
  }

  /** Counts a call that no earlier row makes. */
  #isFirst(call: Call): boolean {
    const question = questionOf(call);
    if (this.#made.has(question)) return false;
    this.#made.add(question);
    this.#credits += this.#pricing.priceOf(call).most;
    return true;
  }

  #lastBatchOf({ subject }: PlannedWork): Pick<PlannedChange, 'lastBatch'> {
    const batch = this.#team.find(subject)?.batch;
    return present({ lastBatch: batch });
  }

  /** Why the row waits: an earlier change of the same subject was lost. */
  #doubtOf([first]: readonly Call[]): string | undefined {
    const subject = first?.change?.subject;
    const doubt = subject && this.#team.find(subject)?.doubt;
    if (doubt === undefined) return undefined;
    const { operation, row, batch } = doubt;
    return `the answer to an earlier ${operation} was lost (row ${row} of batch ${batch}); see rowonce settle ${batch}`;
  }
}

const CREATE_PROJECT = 'create-project';

/** Of a project that is made for the people in it, or for its own sake. */
function creationOf(row: RowNumber, { operation, parameters }: Call, work: PlannedWork): PlannedChange {
  const name = typeof parameters.name === 'string' ? parameters.name : work.project;
  return {
    row,
    action: 'create_project',
    ...present({ project: name }),
    calls: [operation],
  };
}

/** The user whom the calls name. */
function userOf(calls: readonly Call[]): Pick<PlannedChange, 'userId'> {
  const userId = calls.map(({ parameters }) => parameters.user_id).find((id) => typeof id === 'string');
  return present({ userId });
}

function actionOfOutcome({ kind }: Outcome): ChangeAction {
  const found = CHANGE_ACTIONS.find((action) => action === kind);
  invariant(found !== undefined, `a row of changes cannot be ${kind} before anything is sent`);
  return found;
}
