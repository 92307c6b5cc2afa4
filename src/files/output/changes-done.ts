import { callKeyOf } from '../../core/call-key.ts';
import { type Subject, subjectText, Team } from '../../core/membership.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { type RowNumber, WITHOUT_A_WORD } from '../../core/row.ts';
import type { Batch, LedgerReader, PlannedRow, RowRecord } from '../../ledger/ledger.ts';
import { plannedRecords } from '../../ledger/rows.ts';
import { type KeptPart, type KeptWork, keptWork } from '../../operations/team/planned-work.ts';
import type { ChangeEnd, ChangeFigures, ChangeGroup } from './changes-done/figures.ts';
import { type EndedPart, endedParts, endOf, type RowEnd } from './changes-done/parts.ts';

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
function hasMoved(team: Team, { parts, ...work }: KeptWork): boolean {
  const settled = (subject: Subject): number => team.find(subject)?.sequence ?? 0;
  return (parts ?? [work]).some(
    ({ subject, was, makesProject }) =>
      settled(subject) > (was?.sequence ?? 0) || (makesProject !== undefined && settled(makesProject) > 0),
  );
}

/** A run that is killed has kept the answers to a row, and not how the row ended. */
async function answersOf(ledger: LedgerReader, batch: Batch, row: RowNumber): Promise<RowEnd['answers']> {
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
  add({ row, work }: PlannedRow, record: RowRecord | undefined, answers: RowEnd['answers'] = []): void {
    // The rows of a plan are those of the file, and behind them those that the file does not have.
    this.rows += 1;
    const isBeyond = this.rows > this.#batch.inputRows;
    if (work === undefined) {
      // An invalid row: nobody knows whom it is about.
      tick(this.#all.counts, isBeyond ? 'held_back' : endOf(record));
      return;
    }
    const parts = endedParts(keptWork(work), { ended: endOf(record), answers }, isBeyond);
    for (const part of parts) this.#count(part);
    if (isBeyond) for (const part of parts) this.#addMissing(row, part, record?.outcome.reason ?? '');
  }

  result(): ChangesDone {
    return {
      ...this.#all,
      groups: [...this.#groups.values()],
      removed: this.#removed,
      notRemoved: this.#notRemoved,
    };
  }

  #count({ part, ended, answers }: EndedPart): void {
    const groups = [this.#all, this.#groupOf(part)];
    const own = answers.filter(({ batch, kind }) => batch === this.#batch.id && kind === 'found');
    this.#countMade(own, groups);
    const subject = subjectText(part.subject);
    if (this.#counted.has(subject)) return;
    this.#counted.add(subject);
    const isMore = own.some(({ call }) => call.operation !== CREATE_PROJECT);
    const isWithoutWord = own.some(({ why }) => why.endsWith(WITHOUT_A_WORD));
    for (const group of groups) {
      tick(group.counts, ended);
      if (ended === 'applied' && isMore) tick(group.done, part.action ?? 'call');
      if (ended === 'applied' && isWithoutWord) group.withoutWord += 1;
    }
  }

  #countMade(own: RowEnd['answers'], groups: readonly Counted[]): void {
    for (const { call } of own) {
      if (call.operation !== CREATE_PROJECT) continue;
      const key = callKeyOf(this.#batch.accountIdentity, call);
      if (!this.#made.has(key)) for (const { done } of groups) tick(done, 'create_project');
      this.#made.add(key);
    }
  }

  #groupOf({ project: name, subject, to }: KeptPart): Counted {
    const project = name ?? subject.project;
    const key = `${project ?? ''}\n${to}`;
    const group = this.#groups.get(key) ?? { project, to, ...nothingCounted() };
    this.#groups.set(key, group);
    return group;
  }

  #addMissing(row: RowNumber, { part, ended }: EndedPart, reason: string): void {
    const { email, project, subject, from, was } = part;
    const people = ended === 'applied' ? this.#removed : this.#notRemoved;
    people.push({
      ...{ row, email, userId: was?.facts?.userId, project: project ?? subject.project },
      ...{ role: from, ended, reason },
    });
  }
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
