import { callKeyOf } from '../../core/call-key.ts';
import { type Subject, subjectText, Team } from '../../core/membership.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { type RowNumber, WITHOUT_A_WORD } from '../../core/row.ts';
import type { Batch, LedgerReader, PlannedRow, RowAnswer, RowRecord } from '../../ledger/ledger.ts';
import { plannedRecords } from '../../ledger/rows.ts';
import { type KeptWork, keptWork } from '../../operations/team/change-action.ts';
import { CHANGE_ENDS, type ChangeEnd, type ChangeFigures, type ChangeGroup } from './changes-done/figures.ts';

/**
 * What a batch of changes has done, by its plan and its answers. Every face of the program takes its figures from here. It is a
 * function of the ledger alone.
 */

export type { ChangeEnd, ChangeFigures, ChangeGroup, EndCounts } from './changes-done/figures.ts';
export { changesSentence } from './changes-done/words.ts';

export interface ChangesDone extends ChangeFigures {
  /** The same by project and by what is wanted there, in the order of the plan. */
  readonly groups: readonly ChangeGroup[];
  /** People whom the file does not name: who was removed for that, and who was not. */
  readonly removed: readonly MissingPerson[];
  readonly notRemoved: readonly MissingPerson[];
}

export interface MissingPerson {
  readonly row: RowNumber;
  readonly email: string | undefined;
  readonly userId: string | undefined;
  readonly project: string | undefined;
  /** The role that the person had. */
  readonly role: string | undefined;
  readonly ended: ChangeEnd;
  readonly reason: string;
}

/** Undefined for a batch without a plan, which changes nothing. */
export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const team = new Team(await ledger.subjects(batch.accountIdentity));
  const collected = new Collected(batch);
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    // Of millions of rows that nobody has begun the ledger knows nothing, and is not asked.
    const isBegun =
      record === undefined && planned.work !== undefined && hasMoved(team, keptWork(planned.work));
    collected.add(planned, record, isBegun ? await answersOf(ledger, batch, planned.row) : record?.answers);
  }
  // A damaged store may have lost the plan, and its rows still tell how they ended.
  return collected.rows === 0 ? undefined : collected.result();
}

/** Whether a change of what the row is about was settled since it was planned, by whatever batch. */
function hasMoved(team: Team, { subject, was, makes }: KeptWork): boolean {
  const isSettled = (of: Subject, sequence = 0): boolean => (team.find(of)?.sequence ?? 0) > sequence;
  return isSettled(subject, was?.sequence) || (makes !== undefined && isSettled(makes.subject));
}

/** A run that is killed has kept the answers to a row, and not how the row ended. */
async function answersOf(ledger: LedgerReader, batch: Batch, row: RowNumber): Promise<Answers> {
  const attempts = await ledger.history(batch.id, row);
  const keys = [...new Set(attempts.map(({ key }) => key))];
  const states = keys.length === 0 ? [] : await ledger.find(keys);
  return states.flatMap((state) => (state.kind === 'answered' ? [state.answer] : []));
}

class Collected {
  readonly #batch: Batch;
  readonly #all = nothingCounted();
  readonly #groups = new Map<string, ChangeGroup & Counted>();
  /** Subjects that were counted: a row that repeats another one asks for nothing more. */
  readonly #counted = new Set<string>();
  /** The calls by which projects were made, each of which many rows may share. */
  readonly #made = new Set<string>();
  readonly #removed: MissingPerson[] = [];
  readonly #notRemoved: MissingPerson[] = [];
  rows = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** @param record undefined for a row without an outcome. */
  add({ row, work: planned }: PlannedRow, record: RowRecord | undefined, answers: Answers = []): void {
    // The rows of a plan are those of the file, and behind them those that the file does not have.
    this.rows += 1;
    const isBeyond = this.rows > this.#batch.inputRows;
    if (planned === undefined) {
      // An invalid row: nobody knows whom it is about.
      tick(this.#all.counts, isBeyond ? 'held_back' : endOf(record));
      return;
    }
    const work = keptWork(planned);
    const known = endOf(record);
    const isHeldBack = isBeyond && known === 'refused' && answers.length === 0;
    const ended = known === 'pending' ? endSoFar(work, answers) : isHeldBack ? 'held_back' : known;
    this.#count(work, ended, answers);
    if (isBeyond) this.#addMissing(row, work, ended, record?.outcome.reason ?? '');
  }

  result(): ChangesDone {
    return {
      ...this.#all,
      groups: [...this.#groups.values()],
      removed: this.#removed,
      notRemoved: this.#notRemoved,
    };
  }

  #count(work: KeptWork, ended: ChangeEnd, answers: Answers): void {
    const groups = [this.#all, this.#groupOf(work)];
    const own = answers.filter(({ batch, kind }) => batch === this.#batch.id && kind === 'found');
    this.#countMade(own, groups);
    const subject = subjectText(work.subject);
    if (this.#counted.has(subject)) return;
    this.#counted.add(subject);
    const isMore = own.some(({ call }) => call.operation !== CREATE_PROJECT);
    const isWithoutWord = own.some(({ why }) => why.endsWith(WITHOUT_A_WORD));
    for (const group of groups) {
      tick(group.counts, ended);
      if (ended === 'applied' && isMore) tick(group.done, work.action ?? 'call');
      if (ended === 'applied' && isWithoutWord) group.withoutWord += 1;
    }
  }

  #countMade(own: Answers, groups: readonly Counted[]): void {
    for (const { call } of own) {
      if (call.operation !== CREATE_PROJECT) continue;
      const key = callKeyOf(this.#batch.accountIdentity, call);
      if (!this.#made.has(key)) for (const { done } of groups) tick(done, 'create_project');
      this.#made.add(key);
    }
  }

  #groupOf({ project: name, subject, to }: KeptWork): Counted {
    const project = name ?? subject.project;
    const key = `${project ?? ''}\n${to}`;
    const group = this.#groups.get(key) ?? { project, to, ...nothingCounted() };
    this.#groups.set(key, group);
    return group;
  }

  #addMissing(row: RowNumber, work: KeptWork, ended: ChangeEnd, reason: string): void {
    const { email, project, subject, from, was } = work;
    const people = ended === 'applied' ? this.#removed : this.#notRemoved;
    people.push({
      ...{ row, email, userId: was?.facts?.userId, project: project ?? subject.project },
      ...{ role: from, ended, reason },
    });
  }
}

type Answers = readonly Pick<RowAnswer, 'batch' | 'kind' | 'why' | 'call'>[];

/** No change ends as `matched` or `no_match`. @param record undefined for a row without an outcome. */
function endOf(record: RowRecord | undefined): ChangeEnd {
  return CHANGE_ENDS.find((end) => end === record?.outcome.kind) ?? 'pending';
}

/** What is done is done, also where the run was killed before the row came to its end. */
function endSoFar({ action, makes }: KeptWork, answers: Answers): ChangeEnd {
  if (answers.some(({ kind }) => kind !== 'found')) return 'refused';
  const isDeletedFirst = action === 'change_role' && answers[0]?.call.operation === 'delete-invite';
  const needed = isDeletedFirst || makes !== undefined ? 2 : 1;
  return answers.length >= needed ? 'applied' : 'pending';
}

const CREATE_PROJECT = 'create-project';

interface Counted {
  readonly done: Partial<Record<PlannedAction, number>>;
  readonly counts: Partial<Record<ChangeEnd, number>>;
  withoutWord: number;
}

const nothingCounted = (): Counted => ({ done: {}, counts: {}, withoutWord: 0 });

function tick<Key extends string>(counts: Partial<Record<Key, number>>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
