import { callKeyOf } from '../../core/call-key.ts';
import { subjectText, subjectWords } from '../../core/membership.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { type RowNumber, WITHOUT_A_WORD } from '../../core/row.ts';
import type { Batch, LedgerReader, PlannedRow, RowRecord } from '../../ledger/ledger.ts';
import { plannedRecords } from '../../ledger/row-pages.ts';
import { type KeptPart, keptWork } from '../../operations/team/planned-work.ts';
import type { ChangeEnd, ChangeFigures, ChangeGroup } from './changes-done/figures.ts';
import { type EndedPart, endedParts, endOf, type RowEnd } from './changes-done/parts.ts';
import { type MovedPart, Since } from './changes-done/since.ts';
import { SoFar } from './changes-done/so-far.ts';

/**
 * What a batch of changes has done, by its plan and its answers, and what others have done since to whom it is about. Every
 * face of the program takes its figures from here. It is a function of the ledger alone.
 */

export type { ChangeEnd, ChangeFigures, ChangeGroup, EndCounts } from './changes-done/figures.ts';
export { changesSentence } from './changes-done/words.ts';

export interface ChangesDone extends ChangeFigures {
  /** The same by project and by what is wanted there, in the order of the plan. */
  readonly groups: readonly ChangeGroup[];
  /** People whom the file does not name: who was removed for that, and who was not. */
  readonly removed: readonly MissingPerson[];
  readonly notRemoved: readonly MissingPerson[];
  /** What other batches have done since about a row, as a clause for its reason. */
  readonly since: ReadonlyMap<RowNumber, string>;
  /** The rows among those that ended well, and are not, or perhaps not, as they ended. */
  readonly overtaken: readonly OvertakenRow[];
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

export interface OvertakenRow {
  readonly row: RowNumber;
  /** The person, or what else it is about: `jo@x.com in Sales`. */
  readonly who: string;
  readonly since: string;
}

/** Undefined for a batch without a plan, which changes nothing. */
export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const since = await Since.of(ledger, batch);
  const collected = new Collected(batch, since, new SoFar(ledger, batch, since));
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    await collected.add(planned, record);
  }
  // A damaged store may have lost the plan, and its rows still tell how they ended.
  return collected.rows === 0 ? undefined : collected.result();
}

/** What other batches have done since about some rows of a batch, as `ChangesDone.since`. */
export async function sinceOf(
  ledger: LedgerReader,
  batch: Batch,
  records: readonly RowRecord[],
): Promise<ReadonlyMap<RowNumber, string>> {
  const words = new Map<RowNumber, string>();
  if (batch.plannedRows === undefined) return words;
  const since = await Since.of(ledger, batch);
  for (const record of records) {
    const [planned] = await ledger.plannedRows(batch.id, record.row, 1);
    if (planned?.row !== record.row || planned.work === undefined) continue;
    const end = { ended: endOf(record), answers: record.answers };
    const found = await since.about(endedParts(keptWork(planned.work), end, false), record);
    if (found.length > 0) words.set(record.row, sinceWords(found));
  }
  return words;
}

const sinceWords = (moved: readonly MovedPart[]): string => moved.map(({ since }) => since).join('; ');

class Collected {
  readonly #batch: Batch;
  readonly #since: Since;
  readonly #soFar: SoFar;
  readonly #all = nothingCounted();
  readonly #groups = new Map<string, ChangeGroup & Counted>();
  /** Subjects that were counted: a row that repeats another one asks for nothing more. */
  readonly #counted = new Set<string>();
  /** The calls by which projects were made, each of which many rows may share. */
  readonly #made = new Set<string>();
  readonly #removed: MissingPerson[] = [];
  readonly #notRemoved: MissingPerson[] = [];
  readonly #words = new Map<RowNumber, string>();
  readonly #overtaken: OvertakenRow[] = [];
  rows = 0;

  constructor(batch: Batch, since: Since, soFar: SoFar) {
    this.#batch = batch;
    this.#since = since;
    this.#soFar = soFar;
  }

  async add({ row, work }: PlannedRow, record: RowRecord | undefined): Promise<void> {
    // The rows of a plan are those of the file, and behind them those that the file does not have.
    this.rows += 1;
    const isBeyond = this.rows > this.#batch.inputRows;
    if (work === undefined) {
      // An invalid row: nobody knows whom it is about.
      tick(this.#all.counts, isBeyond ? 'held_back' : endOf(record));
      return;
    }
    const parts = await this.#soFar.partsOf(row, keptWork(work), { record, isBeyond });
    for (const part of parts) this.#count(part);
    const since = record === undefined ? '' : await this.#addSince(row, parts, record);
    const reason = [record?.outcome.reason ?? '', since].filter((each) => each !== '').join('; ');
    if (isBeyond) for (const part of parts) this.#addMissing(row, part, reason);
  }

  result(): ChangesDone {
    return {
      ...this.#all,
      groups: [...this.#groups.values()],
      removed: this.#removed,
      notRemoved: this.#notRemoved,
      since: this.#words,
      overtaken: this.#overtaken,
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

  /** @returns the words for the reason of the row; blank when there are none. */
  async #addSince(row: RowNumber, parts: readonly EndedPart[], record: RowRecord): Promise<string> {
    const found = await this.#since.about(parts, record);
    if (found.length === 0) return '';
    const words = sinceWords(found);
    this.#words.set(row, words);
    for (const { part, ended, since } of found) {
      const isFine = ended === 'applied' || ended === 'unchanged';
      if (isFine) this.#overtaken.push({ row, who: whoWords(part), since });
    }
    return words;
  }
}

const CREATE_PROJECT = 'create-project';

function whoWords({ email, project, subject }: KeptPart): string {
  const where = project ?? subject.project;
  return where === undefined
    ? subjectWords(subject)
    : `${email ?? subjectWords({ name: subject.name })} in ${where}`;
}

interface Counted {
  readonly done: Partial<Record<PlannedAction, number>>;
  readonly counts: Partial<Record<ChangeEnd, number>>;
  withoutWord: number;
}

const nothingCounted = (): Counted => ({ done: {}, counts: {}, withoutWord: 0 });

function tick<Key extends string>(counts: Partial<Record<Key, number>>, key: Key): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
