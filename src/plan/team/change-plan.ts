import { type Account, requestsPerSecond } from '../../client/account/account.ts';
import { askedText } from '../../core/call-key.ts';
import { makesProject } from '../../core/described.ts';
import { invariant, type StopError, stop } from '../../core/errors.ts';
import { NO_FINDINGS } from '../../core/finding.ts';
import { sayAll, sayBesideCells } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import { subjectText, Team, userIn } from '../../core/membership.ts';
import { moneyFor } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import type { Call, JsonObject, Operation, PlannedWork } from '../../core/operation.ts';
import { reasonOf } from '../../core/outcome.ts';
import { plannedPeople } from '../../core/people.ts';
import { asFlag, byFlag, phrase, typing } from '../../core/phrase.ts';
import { foreignWords, listed } from '../../core/plain-text.ts';
import type { Outcome, RowNumber, RowsAsked } from '../../core/row.ts';
import { outcomeOf } from '../../core/steps.ts';
import { listNameOf } from '../../files/called.ts';
import { sortingColumns } from '../../files/columns/columns.ts';
import { plannedRecords } from '../../files/kept-rows.ts';
import { CALLED } from '../../files/output/summary-words.ts';
import type { Batch, LedgerReader, PlannedRow } from '../../ledger/ledger.ts';
import type {
  ChangeAction,
  DefaultProjectObject,
  GuardObject,
  LeaverObject,
  PlannedChangeObject,
  PlanObject,
  SkippedByObject,
  UnknownObject,
} from '../../objects/plan-object.ts';
import { inDoubt, keptWorks } from '../../operations/team/change-action.ts';
import { SkippedBy } from '../../walk/filling.ts';
import { decidedDoubts } from '../../walk/known-calls.ts';
import type { PlanContext } from '../../walk/resolved-job.ts';
import { newestBatch, type PlannedInput } from '../batch-key.ts';
import {
  againIn,
  type Plan,
  type Pricing,
  plannedCost,
  pricingOf,
  Reasons,
  type SentAgain,
} from '../plan.ts';
import {
  type ChangeTarget,
  cellsOf,
  conflictOutcomes,
  factsOf,
  isWorkable,
  type ListedRow,
  leaversOf,
  missingRows,
  preparedRows,
  projectsOf,
  type ResolvedRow,
  unknownNames,
  unknownProjects,
  type WorkableRow,
  withTeamFacts,
} from './planned-rows.ts';
import { type OwnUser, type RemoteMembers, withLive } from './remote-members.ts';

/**
 * What a run of this list would change in the service, before anything is sent. The rows are kept in memory,
 * which is enough for teams of up to about 100,000 people.
 */
export interface ChangePlan {
  readonly rows: number;
  /**
   * How many rows the plan adds for people whom the file no longer names. Their numbers follow the file's
   * last row.
   */
  readonly rowsBeyond: number;
  /** The planned rows that the ledger keeps with the batch, in the order of the rows. */
  readonly planned: readonly PlannedRow[];
  /**
   * What is done about each row, in order: first the project that has to be made, then the row in each of its
   * projects.
   */
  readonly changes: PlannedChangeObject[];
  readonly duplicates: number;
  /** Absent for a job without `only_if` and `unless`. */
  readonly skippedBy?: SkippedByObject[];
  /** The number of requests when all of them succeed. */
  readonly calls: number;
  /** The most that each request costs, for those that cost anything. */
  readonly costs: readonly { readonly row: RowNumber; readonly operation: string; readonly most: number }[];
  /**
   * The changes of the batch that are in doubt and may be sent again, at the cost of `most`; absent when
   * there are none.
   */
  readonly again?: SentAgain;
  /** People whom the list does not name and whom the job does not remove: they stay. */
  readonly leavers: LeaverObject[];
  /** The number of people known in the affected projects. A person in two projects counts twice. */
  readonly people: number;
  readonly unknownNames: UnknownObject;
  /** Where rows go for want of a column, although an unread one may say where; absent where none may. */
  readonly defaultProject?: DefaultProjectObject;
  /** Why no row can be worked on: no one has said which projects the list names. */
  readonly unknown?: StopError;
  /** The user who owns the key, if the service tells. */
  readonly ownUser?: OwnUser;
  /**
   * The newest batch of this list, open or finished. An open batch resumes with the plan that it began with.
   */
  readonly batch?: Batch;
  /**
   * True where the batch is finished, and its outcome for a row is no longer true, although there is nothing
   * to send now.
   */
  readonly isOutdated?: true;
}

/**
 * Asks the service who is in these projects now, without cost or change. Undefined when the service does not
 * tell.
 */
export type AskTeam = (projects: readonly string[]) => Promise<RemoteMembers | undefined>;

export const isSent = ({ calls }: Pick<PlannedChangeObject, 'calls'>): boolean => calls !== undefined;

/** Whether the change is a removal that no row of the list asks for, and that is not made. */
export const isHeldBack = ({ action, beyond, findings = [] }: PlannedChangeObject): boolean =>
  beyond === true && (action === 'refused' || findings.some(({ code }) => code === 'held_back'));

/** Whether a run would send a request. A change that waits for a lost answer does not count. */
export function hasWork({ changes }: Pick<ChangePlan, 'changes'>): boolean {
  return changes.some(isSent);
}

/**
 * Whether a run would begin to carry out this plan. An open batch carries out the plan that it began with. A
 * finished batch is over, unless its list describes a wanted state and the service differs from it.
 */
export function beginsWork(plan: ChangePlan, { change }: Pick<Operation, 'change'>): boolean {
  if (plan.batch?.state === 'open') return false;
  return hasWork(plan) && (plan.batch?.state !== 'finished' || change?.isState === true);
}

/** The changes as `plan` and `undo --dry-run` show them. */
export function shownChanges(
  { changes, leavers, rowsBeyond, people, unknownNames, defaultProject }: ChangePlan,
  guards: readonly GuardObject[] = [],
): Required<Pick<PlanObject, 'changes' | 'leavers' | 'people' | 'unknown' | 'guards'>> &
  Pick<PlanObject, 'removed' | 'held_back' | 'left_out' | 'keep_access' | 'default_project'> {
  const isRemoved = ({ beyond, action }: PlannedChangeObject): boolean =>
    beyond === true && action === 'remove';
  return {
    ...(rowsBeyond > 0
      ? { removed: changes.filter(isRemoved).length, held_back: changes.filter(isHeldBack).length }
      : {}),
    ...leftOutIn({ changes }),
    changes,
    leavers,
    people,
    unknown: unknownNames,
    ...present({ default_project: defaultProject }),
    guards: [...guards],
  };
}

/** How many people are left out, and how many of them have access; empty where nobody is. */
export function leftOutIn({ changes }: Pick<ChangePlan, 'changes'>) {
  const { counts, keepAccess } = plannedPeople(changes);
  return counts.left_out === 0 ? {} : { left_out: counts.left_out, keep_access: keepAccess };
}

/**
 * The same plan in the form of a purchase plan. No row counts as bought before, because an old answer never
 * stands for a change.
 * @param chosenRows the rows of a run that is for a part of the list.
 */
export function planOfChanges(plan: ChangePlan, account: Account, chosenRows?: RowsAsked): Plan {
  const { rows, changes, duplicates, skippedBy, calls, costs, again } = plan;
  const mostOf = (rows?: RowsAsked): number =>
    costs.reduce((sum, { row, most }) => (rows?.has(row) === false ? sum : sum + most), again?.most ?? 0);
  const most = mostOf();
  const rowsWith = (wanted: (change: PlannedChangeObject) => boolean): number =>
    new Set(changes.filter((change) => change.beyond !== true && wanted(change)).map(({ row }) => row)).size;
  const costOf = (most: number) => moneyFor([{ credits: most, price: account.price }]);
  const cost = costOf(most);
  const part = chosenRows && {
    rows: rowsWith((change) => chosenRows.has(change.row) && isSent(change)) + (again?.rows ?? 0),
    most: mostOf(chosenRows),
    ...present({ cost: costOf(mostOf(chosenRows)) }),
  };
  const perSecond = requestsPerSecond(account);
  const skipped = rowsWith(({ action }) => action === 'skipped');
  const reasons = new Reasons();
  for (const { row, action, findings = NO_FINDINGS } of changes)
    if (action === 'invalid') reasons.add(row, findings);
  return {
    rows,
    invalid: rowsWith(({ action }) => action === 'invalid'),
    duplicates,
    ...(skipped === 0 ? {} : { skipped }),
    ...present({ skipped_by: skippedBy }),
    bought_before: 0,
    accepted: 0,
    in_doubt: rowsWith(({ action }) => action === 'in_doubt'),
    to_buy: rowsWith(isSent),
    ...againIn(again),
    ...present({ part }),
    credits: { most, expected: most },
    ...(costs.length > 0 ? { charges: chargesIn(costs) } : {}),
    ...present({ cost: plannedCost(cost, cost) }),
    seconds: perSecond === undefined ? null : Math.ceil(calls / perSecond),
    ...present({ reasons: reasons.all() }),
  };
}

/** For what the account charges, and how much at most. */
const chargesIn = (costs: ChangePlan['costs']) =>
  [...Map.groupBy(costs, ({ operation }) => operation)].map(([operation, calls]) => {
    return { operation, calls: calls.length, most: calls.reduce((sum, { most }) => sum + most, 0) };
  });

/** @param askTeam left out: only the ledger is asked. @throws StopError `input` where the file is damaged. */
export async function planChanges(
  context: PlanContext,
  input: PlannedInput,
  askTeam: AskTeam = async () => undefined,
): Promise<ChangePlan> {
  const { ledger, account } = context;
  const batch = await newestBatch(context, input);
  const known = (await ledger?.subjects(account.identity)) ?? [];
  const prepared = await preparedRows(context, input);
  const skippedBy = new SkippedBy(context.job);
  for (const { row, prepared: each } of prepared) if (each.kind === 'skipped') skippedBy.add(row, each.by);
  const remembered = new Team(known);
  const forgotten = context.refresh === true ? undefined : await ledger?.forgottenPeople();
  // An open batch resumes with its own plan, whatever the service says by now.
  const live =
    batch?.state === 'open' ? undefined : await askTeam(projectsConcerned(context, prepared, remembered));
  const team = live === undefined ? remembered : new Team(withLive(known, live), remembered);
  const resolvedRows = withTeamFacts(context, prepared, team, forgotten);
  const beyond = missingRows(context, resolvedRows, team);
  const pricing = await pricingOf(context);
  const rows = new Set(resolvedRows.map(({ row }) => row)).size;
  const mostOf = (call: Call): number => pricing.priceOf({ call, by: context }).most;
  const settled = conflictOutcomes(resolvedRows.filter(isWorkable));
  const lists = beyond.length === 0 ? undefined : await listNames(ledger);
  const draft = new TeamDraft(team, mostOf, settled, lists);
  for (const [row, parts] of Map.groupBy([...resolvedRows, ...beyond], ({ row }) => row))
    draft.add(row, parts);
  const { planned, changes, duplicates, costs, made } = draft;
  const isOutdated =
    batch?.state === 'finished' && !hasWork(draft) && (await saysOtherwise(ledger, batch, planned, rows));
  return {
    planned,
    changes,
    duplicates,
    costs,
    calls: made.size,
    rows,
    rowsBeyond: beyond.length,
    leavers: leaversOf(context, resolvedRows, team),
    unknownNames: unknownNames(context, prepared),
    people: projectsOf([...resolvedRows, ...beyond]).reduce(
      (sum, each) => sum + team.inProject(each).length,
      0,
    ),
    ...present({
      unknown: unknownStop(unknownProjects(context, prepared)),
      skippedBy: skippedBy.all(),
      ownUser: live?.ownUser,
      batch,
      again: await changesSentAgain(context, pricing, batch),
      defaultProject: await defaultProjectOf(context, input, changes),
    }),
    ...(isOutdated ? { isOutdated } : {}),
  };
}

/** The name of its list, by the id of each batch. */
const listNames = async (ledger: Pick<LedgerReader, 'batches'> | undefined) =>
  new Map((await ledger?.batches())?.map(({ id, inputPath }) => [id, listNameOf(inputPath)]));

/**
 * A sheet may name the project under a word that no guess knows. Where the account has a project of its own,
 * every row would go there, and nothing but a person can tell that this is meant.
 */
async function defaultProjectOf(
  { job: { operation, columns: givenColumns = {} }, account: { projectId: project } }: PlanContext,
  { sheet, columns: { header, columns } }: PlannedInput,
  changes: readonly PlannedChangeObject[],
): Promise<DefaultProjectObject | undefined> {
  const places = (operation.heeds ?? []).filter(({ name }) => name !== 'user_id');
  const isSaid = places.some(({ name }) => columns[name] !== undefined || givenColumns[name] === '');
  const rows = new Set(
    changes.filter((each) => each.project === project && isSent(each)).map(({ row }) => row),
  );
  if (project === undefined || isSaid || rows.size === 0 || places.length === 0) return undefined;
  const unread = await sortingColumns(sheet, header, columns);
  return unread.length === 0 ? undefined : { project, rows: rows.size, columns: [...unread] };
}

function unknownStop(names: readonly string[]): StopError | undefined {
  if (names.length === 0) return undefined;
  const ids = asFlag('--project', `"${names[0]}=…"`);
  const ways = typing` with ${ids} or in the job that ${asFlag('--save-job')} writes`;
  const next = phrase`Give each its id${ways}, or have them made ${byFlag('--create-projects')}.`;
  return stop('job', `The ids of these projects are not known: ${foreignWords(listed(names))}.`, next);
}

/**
 * Whether a plan that sends nothing disagrees with the finished batch about a row: another batch has moved
 * its people since, or has left them in doubt.
 * @param planned the rows of the plan; the first `fileRows` of them are in the file.
 */
async function saysOtherwise(
  ledger: Pick<LedgerReader, 'plannedRows' | 'rows'> | undefined,
  { id, inputRows }: Batch,
  planned: readonly PlannedRow[],
  fileRows: number,
): Promise<boolean> {
  if (ledger === undefined) return false;
  const before = new Map<string, string>();
  let rows = 0;
  for await (const { planned: row, record } of plannedRecords(ledger, id)) {
    rows += 1;
    if (record !== undefined) before.set(nameOf(row, rows > inputRows), saidOf(record.outcome));
  }
  // In a plan that sends nothing, a row that has work waits for a lost answer.
  const kindOf = (row: PlannedRow): string => (row.kind === 'work' ? 'in_doubt' : saidOf(row.outcome));
  const now = new Map(planned.map((row, index) => [nameOf(row, index >= fileRows), kindOf(row)]));
  return [...new Set([...before.keys(), ...now.keys()])].some((name) => {
    const was = before.get(name) ?? 'unchanged';
    const is = now.get(name) ?? 'unchanged';
    // The batch itself looks at a row in doubt again, and a row that a person left out stays left out.
    const stands = was === 'in_doubt' || was === 'skipped' || (was === 'applied' && is === 'unchanged');
    return was !== is && !stands;
  });
}

/** A row that was refused because it had changed since its plan may be refused for another reason now. */
const saidOf = (outcome: Outcome): string =>
  outcome.kind === 'refused' ? `refused ${outcome.findings.map(({ code }) => code)}` : outcome.kind;

/**
 * Rows of the file are known by their numbers. People whom the file does not name have another number in each
 * plan.
 */
function nameOf({ row, work }: PlannedRow, isBeyond: boolean): string {
  return isBeyond && work !== undefined ? subjectText(keptWorks(work)[0].subject) : `${row}`;
}

/** The changes in doubt that a run of the batch may send again. */
async function changesSentAgain(
  { ledger, ...context }: PlanContext,
  { priceOf }: Pricing,
  batch: Batch | undefined,
): Promise<SentAgain | undefined> {
  const doubts = ledger === undefined || batch === undefined ? [] : await ledger.doubts(batch.id);
  if (ledger === undefined || batch === undefined || doubts.length === 0) return undefined;
  const keys = doubts.map(({ key }) => key);
  const { again } = await decidedDoubts({ ...context, ledger }, keys, { batch: batch.id });
  const sent = doubts.filter(({ key }) => again.has(key));
  const most = sent.reduce((sum, { call }) => sum + priceOf({ call, by: context }).most, 0);
  return again.size === 0 ? undefined : { rows: again.size, most };
}

function projectsConcerned(context: PlanContext, rows: readonly ListedRow[], team: Team): readonly string[] {
  const resolvedRows = withTeamFacts(context, rows, team);
  return projectsOf([...resolvedRows, ...missingRows(context, resolvedRows, team)]);
}

// -------------------------------------------------------------------------------------------------- the plan

type ShownChange = ChangeTarget & Pick<PlannedChangeObject, 'note' | 'user_id'>;

/**
 * Collects the rows of a plan. Rows are added in order, so that a call of several rows is shown at the first
 * of them.
 */
class TeamDraft {
  readonly #team: Team;
  readonly #mostOf: (call: Call) => number;
  /** The outcomes of rows that end without a request, whatever they ask for. */
  readonly #settled: ReadonlyMap<ResolvedRow, Outcome>;
  /** The names of lists by their batches, for people whom this list does not name. */
  readonly #lists: ReadonlyMap<string, string>;
  readonly planned: PlannedRow[] = [];
  readonly changes: PlannedChangeObject[] = [];
  /** What the calls ask that an earlier row makes, because equal calls are made once. */
  readonly made = new Set<string>();
  duplicates = 0;
  readonly costs: ChangePlan['costs'][number][] = [];

  constructor(
    team: Team,
    mostOf: (call: Call) => number,
    settled: ReadonlyMap<ResolvedRow, Outcome>,
    lists: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#team = team;
    this.#mostOf = mostOf;
    this.#settled = settled;
    this.#lists = lists;
  }

  /** @param parts the row in each of its projects. */
  add(row: RowNumber, parts: readonly ResolvedRow[]): void {
    if (parts.every((part) => this.#settled.get(part)?.kind === 'unchanged')) this.duplicates += 1;
    const works = parts.filter(isWorkable).map(({ work }) => work);
    const ends = parts.map((part) => this.#part(part));
    this.planned.push(plannedRow(row, works, ends));
  }

  /** @returns how the part ends without a request; undefined where it has work. */
  #part(part: ResolvedRow): Outcome | undefined {
    if (part.kind === 'end') return this.#end(part, part.outcome, cellsOf(part.cells));
    const { work, calls } = part;
    const of = { ...factsOf(work), ...userOf(work, calls), ...present({ note: work.note }) };
    const outcome = this.#settled.get(part) ?? (calls.length === 0 ? part.outcome : undefined);
    if (outcome !== undefined) return this.#end(part, outcome, of);
    this.#work(part, of);
    return undefined;
  }

  #end({ row, beyond }: ResolvedRow, outcome: Outcome, of: ShownChange): Outcome {
    const reason = reasonOf(outcome);
    const findings = [...outcome.findings];
    const action = actionOfOutcome(outcome);
    const says = sayBesideCells(findings, CALLED);
    this.changes.push({ row, action, ...of, ...present({ reason, beyond }), findings, says });
    return outcome;
  }

  #work({ row, work, calls, beyond }: WorkableRow, of: ShownChange): void {
    const note = of.note ?? this.#cameWith(work, beyond);
    const shown = { row, ...of, ...present({ beyond, note }) };
    const doubt = this.#doubtOf(calls);
    if (doubt !== undefined) {
      const reason = sayAll(doubt, 'terminal');
      this.changes.push({ ...shown, action: 'in_doubt', reason, findings: [...doubt] });
      return;
    }
    const fresh = calls.filter((call) => this.#isFirst(row, call));
    const project = fresh.find(({ operation }) => makesProject(operation));
    const others = fresh.filter((call) => call !== project).map(({ operation }) => operation);
    if (project !== undefined) this.changes.push(creationOf(row, project, work));
    if (others.length > 0) this.changes.push({ ...shown, action: work.action ?? 'call', calls: others });
  }

  /** The list that has last changed a person whom this one does not name. */
  #cameWith({ subject }: PlannedWork, beyond: boolean | undefined): string | undefined {
    const { batch = '' } = (beyond && this.#team.find(subject)) || {};
    const list = this.#lists.get(batch);
    return list && `last changed by ${foreignWords(list)}`;
  }

  /** Counts the call, unless an earlier row makes it already. @returns whether this row is the first. */
  #isFirst(row: RowNumber, call: Call): boolean {
    const callText = askedText(call);
    if (this.made.has(callText)) return false;
    this.made.add(callText);
    const most = this.#mostOf(call);
    if (most > 0) this.costs.push({ row, operation: call.operation, most });
    return true;
  }

  /** Why the row waits, when the answer to an earlier change of its subject was lost. */
  #doubtOf([first]: readonly Call[]): Findings | undefined {
    const subject = first?.change?.subject;
    const doubt = subject && this.#team.find(subject)?.doubt;
    return doubt && inDoubt(doubt);
  }
}

/** What `resolve` returns is plain JSON, by its contract. */
const asJson = (work: PlannedWork): JsonObject => work as unknown as JsonObject;

/** @param ends how the row ended in planning, in each of its projects; undefined where it has work there. */
function plannedRow(
  row: RowNumber,
  works: readonly PlannedWork[],
  ends: readonly (Outcome | undefined)[],
): PlannedRow {
  const isOne = ends.length === 1;
  const parts = isOne ? works : works.map((work, at) => ({ ...work, ...present({ ended: ends[at] }) }));
  const [first, ...also] = parts;
  const work = first && asJson(isOne ? first : { ...first, also });
  const ended = ends.flatMap((outcome, at) =>
    outcome === undefined ? [] : [{ name: isOne ? undefined : works[at]?.project, outcome }],
  );
  if (work !== undefined && ended.length < ends.length) return { row, kind: 'work', work };
  return { row, kind: 'end', outcome: outcomeOf(ended), ...present({ work }) };
}

/** The entry for a project that is created, either for the people in it or for a row of its own. */
function creationOf(row: RowNumber, { operation, parameters }: Call, work: PlannedWork): PlannedChangeObject {
  const project = typeof parameters.name === 'string' ? parameters.name : (work.project ?? null);
  return { row, action: 'create_project', email: null, project, from: null, to: null, calls: [operation] };
}

function userOf(work: PlannedWork, calls: readonly Call[]): Pick<PlannedChangeObject, 'user_id'> {
  const user_id = calls.map(({ parameters }) => parameters.user_id).find((id) => typeof id === 'string');
  return present({ user_id: user_id ?? userIn(work.subject) });
}

function actionOfOutcome({ kind }: Outcome): ChangeAction {
  const isAction = kind !== 'matched' && kind !== 'no_match' && kind !== 'applied';
  invariant(isAction, `a row of changes cannot be ${kind} before anything is sent`);
  return kind;
}
