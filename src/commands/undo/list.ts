import type { z } from 'zod';
import { callKeyOf } from '../../core/call-key.ts';
import { describedCall, isInvite } from '../../core/described.ts';
import { finding, isSoAlready } from '../../core/finding.ts';
import { sayAll } from '../../core/finding-words.ts';
import type { Findings } from '../../core/findings.ts';
import {
  type KnownSubject,
  type Subject,
  type SubjectFacts,
  subjectText,
  subjectWords,
  type Team,
} from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import type { Call } from '../../core/operation.ts';
import type { RowNumber } from '../../core/row.ts';
import { plannedRecords } from '../../files/kept-rows.ts';
import type { Batch, BatchId, EndedRow, LedgerReader } from '../../ledger/ledger.ts';
import type { NotUndoneObject } from '../../objects/plan-object.ts';
import { inDoubt, type KeptWork, keptWorks } from '../../operations/team/change-action.ts';

/** A row of an undo's list: a person's earlier state, in the form that `onboard` takes. */
export interface UndoRow {
  readonly email: string;
  readonly project_id: string;
  /** The role, or `none` for a person who was not in the project. */
  readonly role: string;
  readonly user_id: string;
  /** The row in the batch's list, and the project by its name in that list. */
  readonly of: Pick<ChangedSubject, 'row' | 'project'>;
}

/**
 * A change that stays as the batch left it: its row in the batch that is undone, `jo@x.com in proj-1`, and
 * why, with advice.
 */
type NotUndone = z.infer<typeof NotUndoneObject>;

interface UndoContext {
  /** The undo of the batch that has begun and goes on now. Its own open or lost changes are no obstacle. */
  readonly begun: BatchId | undefined;
  readonly batch: BatchId;
  readonly touched: readonly ChangedSubject[];
  /** The present state of everybody. */
  readonly team: Team;
  /** The batches that are undos, each with the batch that it takes back. */
  readonly undos: ReadonlyMap<string, string>;
}

/** The step for one subject: `done` when the subject is as before, or when an earlier undo has handled it. */
type Step =
  | { readonly kind: 'row'; readonly row: UndoRow }
  | { readonly kind: 'left'; readonly findings: Findings }
  | { readonly kind: 'done' };

const leftStep = (findings: Findings): Step => ({ kind: 'left', findings });
const DONE: Step = { kind: 'done' };

/**
 * Makes the list that takes a batch back, from what the batch changed and the present states. This function
 * is pure.
 */
export function undoList(undone: UndoContext) {
  const rows: UndoRow[] = [];
  const notUndone: NotUndone[] = [];
  for (const each of undone.touched) {
    const step = stepFor(undone, each);
    if (step.kind === 'row') rows.push(step.row);
    if (step.kind === 'left') notUndone.push(notUndoneOf(each.row, namedSubject(each), step.findings));
  }
  const notUndoneRows = [...notUndone, ...doubtful(undone)].sort((one, other) => one.row - other.row);
  return { rows, notUndone: notUndoneRows };
}

const notUndoneOf = (row: RowNumber, subject: string, findings: Findings): NotUndone => ({
  row,
  subject,
  reason: sayAll(findings, 'terminal'),
  findings: [...findings],
});

function namedSubject({ subject, project }: ChangedSubject): string {
  return subjectWords(subject.project === undefined ? subject : { ...subject, ...present({ project }) });
}

/** Whether the last change of the subject took the batch back. */
function isUndone({ batch, undos }: UndoContext, known: KnownSubject | undefined): boolean {
  return known?.batch !== undefined && undos.get(known.batch) === batch;
}

/** The subjects that the batch may or may not have changed, because every answer about them was lost. */
function doubtful({ batch, touched, team }: UndoContext): readonly NotUndone[] {
  const named = new Set(touched.map(({ subject }) => subjectText(subject)));
  return team.all.flatMap(({ subject, doubt }) =>
    doubt?.batch === batch && !named.has(subjectText(subject))
      ? [notUndoneOf(doubt.row, subjectWords(subject), inDoubt(doubt))]
      : [],
  );
}

function stepFor(undone: UndoContext, touched: ChangedSubject): Step {
  const { batch, team, undos, begun } = undone;
  const known = team.find(touched.subject);
  const doubt = known?.doubt;
  if (doubt !== undefined) return doubt.batch === begun ? DONE : leftStep(inDoubt(doubt));
  if (isUndone(undone, known)) return DONE;
  const by = known?.batch ?? batch;
  if (known?.facts === undefined || (by !== batch && !isAsLeft(touched, known.facts, undos.has(by)))) {
    return leftStep(finding('changed_since', { batch: by }));
  }
  const { name } = touched.subject;
  if (name.startsWith('project:')) {
    const id = known.facts.projectId;
    return leftStep(finding('project_stays', present({ id })));
  }
  if (name.startsWith('call:')) return leftStep(finding('own_call_stays', {}));
  return personStep(touched, known.facts);
}

/**
 * Whether the subject is as this batch left it. It may be so because the undo of a later batch has put it
 * back, or because a list said that the person accepted the invite.
 */
function isAsLeft({ after }: ChangedSubject, { state, role }: SubjectFacts, byUndo: boolean): boolean {
  const hasAccepted = after.state === 'invited' && state === 'member';
  return role === after.role && (hasAccepted || (byUndo && state === after.state));
}

function personStep(touched: ChangedSubject, now: SubjectFacts): Step {
  const { before } = touched;
  switch (now.state) {
    case 'gone':
      return isOut(before) ? DONE : leftStep(finding('was_removed', present({ role: before?.role })));
    case 'reinvite_due':
      return before?.role === undefined
        ? leftStep(finding('deleted_role_unknown', {}))
        : rowFor(touched, now, before.role);
    case 'invited':
    case 'member':
      if (wasInvited(touched)) {
        const isNameless = now.state === 'member' && now.userId === undefined;
        return isNameless ? leftStep(finding('user_id_unknown', {})) : rowFor(touched, now, 'none');
      }
      if (before?.role === undefined) return leftStep(finding('earlier_role_unknown', {}));
      return before.role === now.role ? DONE : rowFor(touched, now, before.role);
    case 'accepted_or_deleted':
      return leftStep(finding('state_unknown', {}));
    case 'done':
      return DONE;
  }
}

/** Whether the person is surely not in the project; false when nothing is known about the person. */
function isOut(facts: SubjectFacts | undefined): boolean {
  return facts?.state === 'gone' || facts?.state === 'reinvite_due';
}

/**
 * Whether the batch brought the person in. An invite that replaces another one is a change of role instead.
 */
function wasInvited({ operations, before }: ChangedSubject): boolean {
  const isNew =
    operations.some(isInvite) &&
    !operations.some((call) => describedCall(call).changes === 'takes_invite_back');
  return isNew && before?.state !== 'invited' && before?.state !== 'member';
}

function rowFor({ subject, before, row, project }: ChangedSubject, now: SubjectFacts, role: string): Step {
  const email = now.email ?? before?.email ?? (subject.name.includes('@') ? subject.name : '');
  // The user id of an invited person comes from an earlier membership.
  const userId = now.state === 'member' ? (now.userId ?? '') : '';
  if (email === '' && userId === '') return leftStep(finding('person_unnamed', {}));
  const of = present({ row, project });
  return { kind: 'row', row: { email, project_id: subject.project ?? '', role, user_id: userId, of } };
}

/** This file finds what a batch changed, from its plan and its answers. */

interface ChangedSubject {
  /** The row that changed the subject first. */
  readonly row: RowNumber;
  readonly subject: Subject;
  /** The project by its name in the list. */
  readonly project?: string;
  /** The names of the operations that were carried out, in their order. */
  readonly operations: readonly string[];
  /** What was known about the subject when the batch was planned; absent when nothing was known. */
  readonly before?: SubjectFacts;
  /** The subject's state after the last operation, as far as it was known without the answer. */
  readonly after: SubjectFacts;
}

/**
 * Subjects for which at least one change of the batch was carried out, each once, in the order of the rows.
 */
export async function touchedBy(ledger: LedgerReader, batch: Batch): Promise<readonly ChangedSubject[]> {
  const touched = new Map<string, ChangedSubject>();
  for await (const { planned, record } of plannedRecords(ledger, batch.id)) {
    if (planned.kind === 'end') continue;
    const calls = await carriedOut(ledger, batch, planned.row, record);
    for (const call of calls) add(touched, planned.row, keptWorks(planned.work), call);
  }
  return [...touched.values()];
}

function add(
  touched: Map<string, ChangedSubject>,
  row: RowNumber,
  works: readonly KeptWork[],
  { operation, change }: Call,
): void {
  if (change === undefined) return;
  const { subject } = change;
  const text = subjectText(subject);
  const earlier = touched.get(text);
  if (earlier !== undefined) {
    touched.set(text, { ...earlier, operations: [...earlier.operations, operation], after: change.leaves });
    return;
  }
  // When the row created the project first, its invites were planned before their subjects existed.
  const work = works.find((each) => subjectText(each.subject) === text);
  const before = work?.was?.facts;
  const project = (work ?? works[0])?.project;
  touched.set(text, {
    row,
    subject,
    operations: [operation],
    after: change.leaves,
    ...present({ before, project }),
  });
}

/**
 * The calls that were carried out: from the answers of an ended row, or from the attempts of a row whose
 * batch was cancelled.
 */
async function carriedOut(
  ledger: LedgerReader,
  { id, accountIdentity }: Batch,
  row: RowNumber,
  record: EndedRow | undefined,
): Promise<readonly Call[]> {
  if (record !== undefined && record.outcome.kind !== 'in_doubt') {
    const ownAnswers = record.answers.filter(({ batch }) => batch === id);
    const lost = await lostBefore(ledger, { id, accountIdentity }, row, ownAnswers);
    return ownAnswers.flatMap(({ call, kind }) => (kind === 'found' || lost.includes(call) ? call : []));
  }
  const calls = new Map<string, Call>();
  for (const { batch, call, end } of await ledger.history(id, row)) {
    const isFound = end?.kind === 'answered' && end.answer === 'found';
    if (batch === id && isFound) calls.set(callKeyOf(accountIdentity, call), call);
  }
  return [...calls.values()];
}

/**
 * The calls of which the service said, when they were sent again, that it was so before: the request whose
 * answer was lost may have done that.
 */
async function lostBefore(
  ledger: LedgerReader,
  { id, accountIdentity }: Pick<Batch, 'id' | 'accountIdentity'>,
  row: RowNumber,
  answers: EndedRow['answers'],
): Promise<readonly Call[]> {
  const already = answers.filter(({ kind, why }) => kind === 'refused' && isSoAlready(why));
  if (already.length === 0) return [];
  const lost = (await ledger.history(id, row)).filter(
    ({ batch, end }) => batch === id && end?.kind === 'in_doubt',
  );
  const keys = new Set(lost.map(({ call }) => callKeyOf(accountIdentity, call)));
  return already.flatMap(({ call }) => (keys.has(callKeyOf(accountIdentity, call)) ? call : []));
}
