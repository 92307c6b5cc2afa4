import { askedText, callKeyOf } from '../../core/call-key.ts';
import { describedCall, type Effect, makesProject } from '../../core/described.ts';
import { about, finding, isWithoutAWord, NO_FINDINGS, together } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import { subjectText, subjectWords, userIn } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { end, type JsonObject, PLANNED_ACTIONS, type PlannedAction } from '../../core/operation.ts';
import { accessIn, keepsAccess, People, type PeopleEnd, personOfRow, whoIn } from '../../core/people.ts';
import {
  type Batch,
  hasEnded,
  type LedgerReader,
  type PlannedRow,
  type RowAnswer,
  type RowRecord,
  undoneBy,
} from '../../ledger/ledger.ts';
import type { ChangesObject } from '../../objects/batch-view.ts';
import { type KeptWork, keptWorks, type PersonWork } from '../../operations/team/change-action.ts';
import { nextOfPerson } from '../../operations/team/change-steps.ts';
import { plannedRecords } from '../kept-rows.ts';
import { CHANGE_ENDS, type ChangeEnd, type ChangesDone, type PersonChange } from './report-object.ts';
import { CALLED, changesDoneIn } from './summary-words.ts';

/**
 * The changes that a batch has made, from its plan and its answers. Every face of the program takes its
 * figures from here. They depend on the ledger alone.
 */

/** The changes without the people, as programs get them. */
export const changesTold = ({ persons: _, left_out: __, ...changes }: ChangesDone): ChangesObject => changes;

/** Undefined for a batch without a plan, which changes nothing. */
export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const collected = new ChangeCollector(batch, await takenBackOf(ledger, batch));
  for await (const { planned, record, begun } of plannedRecords(ledger, batch.id))
    collected.add(planned, record ?? begun);
  // A damaged store may have lost the plan. Its rows still tell how they ended.
  return collected.rows === 0 ? undefined : collected.result();
}

interface TakenBack {
  readonly taken: ReadonlySet<string>;
  /** Those with which an open undo is not done. */
  readonly left: ReadonlySet<string>;
}

/**
 * The subjects with a change of this batch that an undo has taken back, unless that undo was taken back
 * itself.
 */
async function takenBackOf(ledger: LedgerReader, { id }: Pick<Batch, 'id'>): Promise<TakenBack> {
  const taken = new Set<string>();
  const left = new Set<string>();
  for (const undo of await ledger.batches()) {
    if (undoneBy(undo.settings) !== id) continue;
    const stands = await takenBackOf(ledger, undo);
    for await (const { planned, record } of plannedRecords(ledger, undo.id)) {
      const isOpen = record === undefined && undo.state === 'open';
      if (record?.outcome.kind === 'applied') addSubjects(taken, planned);
      else if (isOpen) addSubjects(left, planned);
    }
    for (const subject of stands.taken) taken.delete(subject);
  }
  return { taken, left };
}

function addSubjects(to: Set<string>, { work }: PlannedRow): void {
  if (work === undefined) return;
  for (const { subject } of keptWorks(work)) to.add(subjectText(subject));
}

class ChangeCollector {
  readonly #batch: Batch;
  readonly #takenBack: TakenBack;
  readonly #all = nothingCounted();
  readonly #groups = new Map<string, ChangeGroup>();
  /** Subjects that were counted. A row that repeats another row adds none. */
  readonly #counted = new Set<string>();
  /** The calls that made projects. Many rows may share one. */
  readonly #made = new Set<string>();
  /** The projects that were to be made. */
  readonly #toMake = new Set<string>();
  readonly #people = new People();
  readonly #persons: PersonChange[] = [];
  readonly #leftOut: ChangesDone['left_out'][number][] = [];
  /** Changes that were to be made, and those that were taken back. */
  #planned = 0;
  readonly #undone: Partial<Record<PlannedAction, number>> = {};
  readonly #toUndo: Partial<Record<PlannedAction, number>> = {};
  readonly #notMade = { half_done: 0, in_doubt: 0, pending: 0 };
  /** Projects for which a row is pending. */
  readonly #projectsLeft = new Set<string>();
  rows = 0;

  constructor(batch: Batch, takenBack: TakenBack) {
    this.#batch = batch;
    this.#takenBack = takenBack;
  }

  /** @param record undefined for a row without an outcome and without a change. */
  add({ row, kind, work: planned }: PlannedRow, record: RowRecord | undefined): void {
    // The rows of a plan are those of the file, followed by rows for people whom the file does not name.
    this.rows += 1;
    const isBeyond = this.rows > this.#batch.inputRows;
    if (planned === undefined) {
      this.#addUnplanned(row, isBeyond ? 'held_back' : endOf(record), record);
      return;
    }
    const works = keptWorks(planned);
    const soFar = sayAll(changedSoFar(planned, record), 'page', CALLED);
    for (const work of works) {
      const isOf = ({ call }: RowAnswer): boolean =>
        works.length === 1 || call.project === work.subject.project;
      const answers = record?.answers.filter(isOf) ?? [];
      const isLeft = isBeyond && answers.length === 0 && isNotRemoved(record);
      const isWhole = works.length === 1 && (record === undefined || hasEnded(record));
      const ownEnd = isWhole ? endOf(record) : partEnd(work, record);
      const of = {
        row,
        work,
        answers,
        record,
        soFar,
        isBeyond,
        ended: isLeft ? 'held_back' : ownEnd,
      } as const;
      this.#addChange(of, kind === 'work' && work.ended === undefined);
    }
  }

  /** It is not known which person an invalid row means. */
  #addUnplanned(row: number, ended: ChangeEnd, record: RowRecord | undefined): void {
    tick(this.#all.counts, ended);
    const { findings = NO_FINDINGS } = record?.outcome ?? {};
    const who = whoIn(accessIn(findings) ?? {}) ?? personOfRow(row);
    this.#people.add(who, personEnd(ended, record), findings);
    if (ended === 'skipped') this.#addLeftOut(row, who, findings);
  }

  #addChange({ row, work, answers, record, soFar, isBeyond, ended }: ChangeMade, isPlanned: boolean): void {
    const isBack = ended === 'applied' && isAmong(this.#takenBack.taken, work, answers);
    const isFirst = this.#count(work, ended, answers);
    if (isFirst) this.#tickChange({ work, answers, ended }, isPlanned, isBack);
    this.#addEnd(work, isBack ? 'taken_back' : personEnd(ended, record));
    const isHalf = ended === 'pending' && soFar !== '';
    const { findings = NO_FINDINGS } = record?.outcome ?? {};
    if (ended === 'skipped') this.#addLeftOut(row, whoOf(work) ?? '', findings);
    // The service had this change already when the change was sent.
    const isSo = isPlanned && ended === 'unchanged';
    const isShown = isBeyond || (isFirst && (ended === 'applied' || isHalf || isSo));
    if (!isShown) return;
    const back = present({ taken_back: isBack || undefined });
    const reason = isHalf ? soFar : sayAll(findings, 'page', CALLED);
    this.#addPerson(work, { row, ended, beyond: isBeyond, reason, ...back });
  }

  #addLeftOut(row: number, who: string, findings: Findings): void {
    const keeps_access = keepsAccess(findings) || undefined;
    this.#leftOut.push({ row, who, reason: sayAll(findings, 'page', CALLED), ...present({ keeps_access }) });
  }

  #addEnd(work: KeptWork, end: PeopleEnd): void {
    const who = whoOf(work);
    if (who !== undefined) this.#people.add(who, end);
  }

  result(): ChangesDone {
    return {
      ...this.#all,
      people: this.#people.counts,
      ...present({ keep_access: this.#people.keepAccess || undefined }),
      planned: this.#planned,
      not_made: this.#countNotMade(),
      ...this.#sinceUndo(),
      projects: [...this.#groups.values()],
      persons: this.#persons,
      left_out: this.#leftOut,
    };
  }

  /** A project is made once for all rows that want it. */
  #countNotMade(): ChangesDone['not_made'] {
    const { half_done, in_doubt, pending } = this.#notMade;
    const projects = Math.min(this.#projectsLeft.size, this.#toMake.size - this.#made.size);
    const known = half_done + in_doubt + pending + projects + changesDoneIn(this.#all);
    return { half_done, in_doubt, pending: pending + projects, others: Math.max(0, this.#planned - known) };
  }

  /** What an undo has taken back, what it is still to take back, and what it leaves. */
  #sinceUndo(): Pick<ChangesDone, 'taken_back' | 'taking_back' | 'stands'> {
    const taken = changesDoneIn({ done: this.#undone });
    const left = changesDoneIn({ done: this.#toUndo });
    if (taken + left === 0) return {};
    const standingCounts = PLANNED_ACTIONS.map((action) => {
      const back = (this.#undone[action] ?? 0) + (this.#toUndo[action] ?? 0);
      return [action, (this.#all.done[action] ?? 0) - back] as const;
    });
    const stands = Object.fromEntries(standingCounts.filter(([, count]) => count > 0));
    return { taken_back: taken, ...present({ taking_back: left || undefined }), stands };
  }

  #tickChange({ work, answers, ended }: OneChange, isPlanned: boolean, isBack: boolean): void {
    const { action = 'call', makes } = work;
    if (isPlanned) this.#plan(work);
    const kind = isPlanned && kindNotMade({ work, answers, ended });
    if (kind) this.#notMade[kind] += 1;
    if (kind && makes) this.#projectsLeft.add(makes.project.name);
    if (isBack) tick(this.#undone, action);
    else if (ended === 'applied' && isAmong(this.#takenBack.left, work, answers)) tick(this.#toUndo, action);
  }

  #plan({ makes }: KeptWork): void {
    if (makes !== undefined && !this.#toMake.has(makes.project.name)) {
      this.#toMake.add(makes.project.name);
      this.#planned += 1;
    }
    this.#planned += 1;
  }

  /** @returns whether no row before was about the same subject. */
  #count(work: KeptWork, ended: ChangeEnd, answers: Answers): boolean {
    const groups = [this.#all, this.#groupOf(work)];
    const ownAnswers = answers.filter(({ batch, kind }) => batch === this.#batch.id && kind === 'found');
    this.#countMade(ownAnswers, groups);
    const subject = subjectText(work.subject);
    if (this.#counted.has(subject)) return false;
    this.#counted.add(subject);
    const isMore = ownAnswers.some(({ call }) => !makesProject(call.operation));
    const isWithoutWord = ownAnswers.some(({ why }) => isWithoutAWord(why));
    for (const group of groups) {
      tick(group.counts, ended);
      if (ended === 'applied' && isMore) tick(group.done, work.action ?? 'call');
      if (ended === 'applied' && isWithoutWord) group.without_a_word += 1;
    }
    return true;
  }

  #countMade(ownAnswers: Answers, groups: readonly ChangeCounts[]): void {
    for (const { call } of ownAnswers) {
      if (!makesProject(call.operation)) continue;
      const key = callKeyOf(this.#batch.accountIdentity, call);
      if (!this.#made.has(key)) for (const { done } of groups) tick(done, 'create_project');
      this.#made.add(key);
    }
  }

  #groupOf({ project: name, subject, to }: KeptWork): ChangeGroup {
    const project = name ?? subject.project ?? null;
    const key = `${project ?? ''}\n${to}`;
    const group = this.#groups.get(key) ?? { project, to, ...nothingCounted() };
    this.#groups.set(key, group);
    return group;
  }

  #addPerson(
    work: KeptWork,
    how: Pick<PersonChange, 'row' | 'ended' | 'beyond' | 'taken_back' | 'reason'>,
  ): void {
    const { email, project, subject, was, action = 'call', from, to } = work;
    this.#persons.push({
      ...how,
      who: email ?? was?.facts?.userId ?? '',
      project: project ?? subject.project ?? null,
      action,
      from,
      to,
    });
  }
}

/** A person in a project that was made is known by the project's id since. */
function isAmong(subjects: ReadonlySet<string>, { subject }: KeptWork, answers: Answers): boolean {
  const changed = answers.flatMap(({ call }) => call.change?.subject ?? []);
  return [subject, ...changed].some((each) => subjects.has(subjectText(each)));
}

/** How a change that was not made stands; undefined of one that was made, or has another end. */
function kindNotMade({ answers, ended }: OneChange): 'half_done' | 'in_doubt' | 'pending' | undefined {
  if (ended === 'applied' || ended === 'unchanged') return undefined;
  if (ended === 'in_doubt') return 'in_doubt';
  const done = answers.filter(({ kind }) => kind === 'found').map(({ call }) => call.operation);
  const has = (effect: Effect): number =>
    done.filter((name) => describedCall(name).changes === effect).length;
  if (has('takes_invite_back') > has('invites')) return 'half_done';
  return ended === 'pending' ? 'pending' : undefined;
}

/** Whether the person was left as they were, because a row that cannot be read may mean them. */
const isHeldBack = (record: RowRecord | undefined): boolean =>
  record?.outcome?.findings.some(({ code }) => code === 'held_back') === true;

/** Whether nothing was sent for a person who should be removed. */
const isNotRemoved = (record: RowRecord | undefined): boolean =>
  record?.outcome?.kind === 'refused' || isHeldBack(record);

/** One text for a person; undefined for a change that is about no one, such as a new project. */
function whoOf({ email, subject, personAction }: KeptWork): string | undefined {
  return personAction && (email ?? userIn(subject) ?? subject.name).toLowerCase();
}

/**
 * What happened to a person with that change alone. Who could not be removed needs somebody to do so; who was
 * left as they were does not: the row that may mean them does.
 */
function personEnd(ended: ChangeEnd, record: RowRecord | undefined): PeopleEnd {
  switch (ended) {
    case 'applied':
      return 'changed';
    case 'pending':
      return 'pending';
    case 'unchanged':
      return 'unchanged';
    case 'skipped':
      return 'left_out';
    case 'held_back':
      return record?.outcome?.kind === 'refused' ? 'attention' : 'unchanged';
    default:
      return 'attention';
  }
}

/** A row in one of its projects. */
interface ChangeMade {
  readonly row: number;
  readonly work: KeptWork;
  readonly answers: Answers;
  readonly record: RowRecord | undefined;
  /** What was changed of a row that has not ended; blank for any other. */
  readonly soFar: string;
  readonly isBeyond: boolean;
  readonly ended: ChangeEnd;
}

type OneChange = Pick<ChangeMade, 'work' | 'answers' | 'ended'>;

type Answers = readonly Pick<RowAnswer, 'batch' | 'kind' | 'why' | 'call'>[];

/** No change ends as `matched` or `no_match`. @param record undefined for a row without an outcome. */
const endOf = (record: RowRecord | undefined): ChangeEnd => endIn(record?.outcome?.kind);

const endIn = (kind: string | undefined): ChangeEnd => CHANGE_ENDS.find((end) => end === kind) ?? 'pending';

/**
 * How a row of several projects ended in one of them: by the outcome that the plan has for it, else by the
 * answers of the row, else by the outcome of the row.
 */
function partEnd(work: KeptWork, record: RowRecord | undefined): ChangeEnd {
  if (record === undefined || work.ended !== undefined) return endIn(work.ended?.kind);
  const step = nextStep(work, record);
  return step.kind === 'end' ? endIn(step.outcome.kind) : endOf(record);
}

/** How the change of a person goes on after the answers of its row. */
function nextStep(work: KeptWork, { answers }: RowRecord) {
  const byCall = new Map(answers.map((answer) => [askedText(answer.call), answer]));
  return nextOfPerson(work as PersonWork, (call) => {
    const answer = byCall.get(askedText(call));
    return answer && { kind: answer.kind, findings: answer.why, fields: null };
  });
}

/**
 * What was changed for a row that has not ended, such as one of a person's two projects, and what is left.
 * None for any other row: a kill leaves only the few that were under way half done.
 */
export function changedSoFar(planned: JsonObject | undefined, record: RowRecord | undefined): Findings {
  if (planned === undefined || record === undefined || record.outcome !== undefined) return NO_FINDINGS;
  const isOneDone = record.answers.some(({ kind }) => kind === 'found');
  if (!isOneDone) return NO_FINDINGS;
  const works = keptWorks(planned);
  const parts = works.map((work) => {
    const step = work.ended === undefined ? nextStep(work, record) : end(work.ended);
    const isOf = ({ call }: RowAnswer): boolean => call.project === work.subject.project;
    const deleted = record.answers.some(
      (answer) => isOf(answer) && describedCall(answer.call.operation).changes === 'takes_invite_back',
    );
    const stillToDo = finding('still_to_do', present({ deleted: deleted || undefined }));
    const findings = step.kind === 'end' ? step.outcome.findings : stillToDo;
    const name = work.project ?? work.subject.project;
    return works.length === 1 || name === undefined ? findings : about({ step: name }, findings);
  });
  return together(...parts);
}

interface ChangeCounts {
  readonly done: Partial<Record<PlannedAction, number>>;
  readonly counts: Partial<Record<ChangeEnd, number>>;
  without_a_word: number;
}

/** The changes in a project with the same wish. */
interface ChangeGroup extends ChangeCounts {
  readonly project: string | null;
  readonly to: string;
}

const nothingCounted = (): ChangeCounts => ({ done: {}, counts: {}, without_a_word: 0 });

function tick<Key extends string>(counts: Partial<Record<Key, number>>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/**
 * People with an invite that a batch deleted in order to create it again, and who have none now because the
 * second step is missing. The result is one sentence for each of them, for the user who ends the batch at
 * this point.
 */
export async function interruptedChanges(
  ledger: LedgerReader,
  { id, accountIdentity }: Pick<Batch, 'id' | 'accountIdentity'>,
): Promise<readonly string[]> {
  const known = await ledger.subjects(accountIdentity);
  return known
    .filter(({ batch, facts }) => batch === id && facts?.state === 'reinvite_due')
    .map(({ subject, doubt }) =>
      doubt === undefined
        ? `${subjectWords(subject)} has no invite now: batch ${id} deleted it and did not create it again.`
        : `${subjectWords(subject)} may have no invite now: ` +
          `batch ${id} deleted it, and may not have created it again.`,
    );
}
