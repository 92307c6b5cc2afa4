import { askedText, callKeyOf } from '../../core/call-key.ts';
import { makesProject } from '../../core/described.ts';
import { isWithoutAWord } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import { subjectText, subjectWords } from '../../core/membership.ts';
import type { PlannedAction } from '../../core/operation.ts';
import type { Batch, EndedRow, LedgerReader, PlannedRow, RowAnswer } from '../../ledger/ledger.ts';
import type { ChangesObject } from '../../objects/batch-view.ts';
import { type KeptWork, keptWorks, type PersonWork } from '../../operations/team/change-action.ts';
import { nextOfPerson } from '../../operations/team/change-steps.ts';
import { plannedRecords } from '../kept-rows.ts';
import { CHANGE_ENDS, type ChangeEnd, type ChangesDone, type PersonChange } from './report-object.ts';
import { CALLED } from './summary-words.ts';

/**
 * The changes that a batch has made, from its plan and its answers. Every face of the program takes its
 * figures from here. They depend on the ledger alone.
 */

/** The changes without the people, as programs get them. */
export const changesTold = ({ people: _, ...changes }: ChangesDone): ChangesObject => changes;

/** Undefined for a batch without a plan, which changes nothing. */
export async function changesDone(ledger: LedgerReader, batch: Batch): Promise<ChangesDone | undefined> {
  if (batch.plannedRows === undefined) return undefined;
  const collected = new ChangeCollector(batch);
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) collected.add(planned, record);
  // A damaged store may have lost the plan. Its rows still tell how they ended.
  return collected.rows === 0 ? undefined : collected.result();
}

class ChangeCollector {
  readonly #batch: Batch;
  readonly #all = nothingCounted();
  readonly #groups = new Map<string, ChangeGroup>();
  /** Subjects that were counted. A row that repeats another row adds none. */
  readonly #counted = new Set<string>();
  /** The calls that made projects. Many rows may share one. */
  readonly #made = new Set<string>();
  readonly #people: PersonChange[] = [];
  rows = 0;

  constructor(batch: Batch) {
    this.#batch = batch;
  }

  /** @param record undefined for a row without an outcome. */
  add({ work: planned }: PlannedRow, record: EndedRow | undefined): void {
    // The rows of a plan are those of the file, followed by rows for people whom the file does not name.
    this.rows += 1;
    const isBeyond = this.rows > this.#batch.inputRows;
    if (planned === undefined) {
      // Nobody knows which person an invalid row means.
      tick(this.#all.counts, isBeyond ? 'held_back' : endOf(record));
      return;
    }
    const works = keptWorks(planned);
    for (const work of works) {
      const isOf = ({ call }: RowAnswer): boolean =>
        works.length === 1 || call.project === work.subject.project;
      const answers = record?.answers.filter(isOf) ?? [];
      const isHeldBack = isBeyond && record?.outcome.kind === 'refused' && answers.length === 0;
      const ended = isHeldBack ? 'held_back' : works.length === 1 ? endOf(record) : partEnd(work, record);
      const isFirst = this.#count(work, ended, answers);
      const isChanged = isFirst && ended === 'applied';
      if (isBeyond || isChanged) this.#addPerson(work, ended, isBeyond, record);
    }
  }

  result(): ChangesDone {
    return { ...this.#all, projects: [...this.#groups.values()], people: this.#people };
  }

  /** @returns whether no row before was about the same subject. */
  #count(work: KeptWork, ended: ChangeEnd, answers: Answers): boolean {
    const groups = [this.#all, this.#groupOf(work)];
    const own = answers.filter(({ batch, kind }) => batch === this.#batch.id && kind === 'found');
    this.#countMade(own, groups);
    const subject = subjectText(work.subject);
    if (this.#counted.has(subject)) return false;
    this.#counted.add(subject);
    const isMore = own.some(({ call }) => !makesProject(call.operation));
    const isWithoutWord = own.some(({ why }) => isWithoutAWord(why));
    for (const group of groups) {
      tick(group.counts, ended);
      if (ended === 'applied' && isMore) tick(group.done, work.action ?? 'call');
      if (ended === 'applied' && isWithoutWord) group.without_a_word += 1;
    }
    return true;
  }

  #countMade(own: Answers, groups: readonly ChangeCounts[]): void {
    for (const { call } of own) {
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

  #addPerson(work: KeptWork, ended: ChangeEnd, beyond: boolean, record: EndedRow | undefined): void {
    const { email, project, subject, was, action = 'call', from, to } = work;
    const reason = record === undefined ? '' : sayAll(record.outcome.findings, 'page', CALLED);
    this.#people.push({
      who: email ?? was?.facts?.userId ?? '',
      project: project ?? subject.project ?? null,
      action,
      from,
      to,
      ended,
      reason,
      beyond,
    });
  }
}

type Answers = readonly Pick<RowAnswer, 'batch' | 'kind' | 'why' | 'call'>[];

/** No change ends as `matched` or `no_match`. @param record undefined for a row without an outcome. */
const endOf = (record: EndedRow | undefined): ChangeEnd => endIn(record?.outcome.kind);

const endIn = (kind: string | undefined): ChangeEnd => CHANGE_ENDS.find((end) => end === kind) ?? 'pending';

/**
 * How a row of several projects ended in one of them: by the outcome that the plan has for it, else by the
 * answers of the row, else by the outcome of the row.
 */
function partEnd(work: KeptWork, record: EndedRow | undefined): ChangeEnd {
  if (record === undefined || work.ended !== undefined) return endIn(work.ended?.kind);
  const answers = new Map(record.answers.map((answer) => [askedText(answer.call), answer]));
  const step = nextOfPerson(work as PersonWork, (call) => {
    const answer = answers.get(askedText(call));
    return answer && { kind: answer.kind, findings: answer.why, fields: null };
  });
  return step.kind === 'end' ? endIn(step.outcome.kind) : endOf(record);
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
 * People whose invite a batch deleted in order to create it again, and who have none now because the second
 * step is missing. The result is one sentence for each of them, for the user who ends the batch at this
 * point.
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
