import { invariant } from '../../../core/errors.ts';
import type { Subject, SubjectDoubt, SubjectFacts } from '../../../core/membership.ts';
import { present } from '../../../core/objects.ts';
import type { Admission, Intent, KnownSubject, LedgerReader } from '../../ledger.ts';
import { AlteredRow, type Connection, type Reads } from './connection.ts';
import { knownAccount } from './entries.ts';
import { checkedRows } from './lookups.ts';
import type { ReadRow, WrittenRow } from './table.ts';
import { batchId, CHANGES_TABLE, keyBytes, SUBJECTS_TABLE } from './tables.ts';

/** Subjects of changes: what they are, whether one may be changed now, and the log of what each settled change left. */

type SubjectRow = ReadRow<typeof SUBJECTS_TABLE> & { readonly sequence: number };
type ChangeRow = ReadRow<typeof CHANGES_TABLE>;

/**
 * Checks the same rules as the database's guards, so that a subject that has changed is an answer and not an exception.
 */
export function refusedChange(connection: Connection, intent: Intent): Admission | undefined {
  const { change, after } = intent.call;
  invariant(
    (change === undefined) === (after === undefined),
    'a call says what it changes and after what, or neither',
  );
  if (change === undefined || after === undefined) return undefined;
  const subject = subjectNamed(connection, intent.accountIdentity, change.subject);
  const sequence = subject?.sequence ?? 0;
  invariant(after <= sequence, `a change is planned at ${after}, and its subject is at ${sequence}`);
  if (subject === undefined) return undefined;
  if (after < sequence) return { kind: 'moved', by: batchId(batchOfLast(connection, subject)) };
  return otherPending(connection, subject.id, keyBytes(intent.key));
}

function subjectNamed(
  connection: Connection,
  identity: string,
  { project = '', name }: Subject,
): SubjectRow | undefined {
  const where = 'account = (SELECT id FROM accounts WHERE identity = +?) AND project = +? AND name = +?';
  return (
    checkedRows(connection, SUBJECTS_TABLE, where, identity, project, name) as readonly SubjectRow[]
  )[0];
}

function batchOfLast(connection: Connection, { id, sequence }: SubjectRow): number {
  const last = connection.get<{ batch: number }>(
    `SELECT a.batch FROM changes g JOIN attempts a ON a.id = g.attempt
      WHERE g.subject = +? AND g.sequence = +?`,
    id,
    sequence,
  );
  if (last === undefined) throw new AlteredRow(`change ${sequence} of subject ${id} is missing`);
  return last.batch;
}

function otherPending(connection: Connection, subject: number, key: Buffer): Admission | undefined {
  const other = connection.get<{ batch: number; row: number }>(
    `SELECT a.batch, a.row
       FROM pending_changes p JOIN calls c ON c.id = p.call JOIN attempts a ON a.id = p.attempt
      WHERE p.subject = +? AND c.key <> +? LIMIT 1`,
    subject,
    key,
  );
  return other && { kind: 'subject_in_doubt', by: batchId(other.batch), row: other.row };
}

/** What a change will have left of its subject, as it is kept once the change is settled. */
export type Left = WrittenRow<typeof CHANGES_TABLE>;

/**
 * What a change that is about to be settled leaves of its subject; undefined for other calls. It is undefined as well for a
 * change that has an answer: a person told it while the change was being sent again, and that stays.
 * @param left how the change left its subject; without it the subject is as it was.
 */
export function leftBy(
  connection: Connection,
  attempt: number,
  left: SubjectFacts | undefined,
): Left | undefined {
  const change = connection.get<{ subject: number | null; after: number; state: string }>(
    'SELECT c.subject, c.after, c.state FROM attempts a JOIN calls c ON c.id = a.call WHERE a.id = ?',
    attempt,
  );
  if (change === undefined || change.subject === null || change.state === 'answered') return undefined;
  const { subject, after } = change;
  const facts = left === undefined ? factsAt(connection, subject, after) : factCells(left);
  return { ...facts, attempt, subject, sequence: after + 1 };
}

export function logChange(connection: Connection, left: Left | undefined): void {
  if (left !== undefined) CHANGES_TABLE.insert(connection, left);
}

type FactCells = Omit<ChangeRow, 'attempt' | 'subject' | 'sequence' | 'sum'>;

function factsAt(connection: Connection, subject: number, sequence: number): FactCells {
  const [row] = checkedRows(connection, CHANGES_TABLE, 'subject = +? AND sequence = +?', subject, sequence);
  return row ?? factCells({});
}

export const SUBJECT_READS = {
  /** In the order in which they became known, without forgotten people, who are unknown now. */
  subjects(connection, identity) {
    const account = knownAccount(connection, identity);
    if (account === undefined) return [];
    const doubts = doubtsBySubject(connection, account);
    const last = lastChanges(connection, account);
    const where = "account = ? AND name NOT LIKE 'erased:%' ORDER BY id";
    return (checkedRows(connection, SUBJECTS_TABLE, where, account) as readonly SubjectRow[])
      .map((row) => knownSubject(row, last.get(row.id), doubts.get(row.id)))
      .filter(({ sequence, doubt }) => sequence > 0 || doubt !== undefined);
  },
} satisfies Partial<Reads<LedgerReader>>;

/** The newest entry of a subject, and who made the newest one that is not as the entry before it. */
type LastChange = ChangeRow & { readonly batch: number | null; readonly answered_at: number | null };

function lastChanges(connection: Connection, account: number): ReadonlyMap<number, LastChange> {
  const rows = connection.all<LastChange>(
    `SELECT g.*, a.batch, k.at AS answered_at
       FROM subjects s JOIN changes g ON g.subject = s.id AND g.sequence = s.sequence
       LEFT JOIN changes l ON l.subject = s.id AND l.sequence = (
         SELECT max(c.sequence)
           FROM changes c LEFT JOIN changes b ON b.subject = c.subject AND b.sequence = c.sequence - 1
          WHERE c.subject = s.id AND ${factsOf('c')} IS NOT ${factsOf('b')})
       LEFT JOIN attempts a ON a.id = l.attempt
       LEFT JOIN answers k ON k.attempt = l.attempt
      WHERE s.account = +?`,
    account,
  );
  return new Map(rows.map((row) => [row.subject, CHANGES_TABLE.checked(row)]));
}

interface DoubtRow {
  readonly subject: number;
  readonly operation: string;
  readonly batch: number;
  readonly row: number;
  readonly isOpen: 0 | 1;
}

function doubtsBySubject(connection: Connection, account: number): ReadonlyMap<number, SubjectDoubt> {
  const rows = connection.all<DoubtRow>(
    `SELECT c.subject, c.operation, a.batch, a.row, p.attempt IS NOT c.stands AS isOpen
       FROM pending_changes p JOIN calls c ON c.id = p.call JOIN attempts a ON a.id = p.attempt
      WHERE c.account = +? ORDER BY isOpen DESC`,
    account,
  );
  // A lost request that is being sent again is in doubt all the same, so that comes last.
  return new Map(rows.map((row) => [row.subject, doubtFrom(row)]));
}

function doubtFrom(row: DoubtRow): SubjectDoubt {
  const doubt = { batch: batchId(row.batch), row: row.row, operation: row.operation };
  return row.isOpen === 1 ? { ...doubt, isOpen: true } : doubt;
}

function knownSubject(
  { id, project, name, sequence }: SubjectRow,
  last: LastChange | undefined,
  doubt: SubjectDoubt | undefined,
): KnownSubject {
  if (sequence !== (last?.sequence ?? 0))
    throw new AlteredRow(`change ${sequence} of subject ${id} is missing`);
  const facts = last && factsFrom(last);
  const batch = last?.batch ?? undefined;
  return {
    subject: project === '' ? { name } : { project, name },
    sequence,
    ...present({
      facts,
      batch: batch === undefined ? undefined : batchId(batch),
      changedAtMs: last?.answered_at ?? undefined,
      doubt,
    }),
  };
}

/** The members of the facts, and the columns that hold them. */
const FACTS = [
  ['state', 'state'],
  ['role', 'role'],
  ['email', 'email'],
  ['inviteCode', 'invite_code'],
  ['userId', 'user_id'],
  ['projectId', 'project_id'],
] as const;

const factCells = (facts: Partial<SubjectFacts>): FactCells =>
  Object.fromEntries(FACTS.map(([member, column]) => [column, facts[member] ?? null])) as FactCells;

function factsFrom(row: FactCells): SubjectFacts | undefined {
  if (row.state === null) return undefined;
  const known = FACTS.filter(([, column]) => row[column] !== null);
  return Object.fromEntries(
    known.map(([member, column]) => [member, row[column]]),
  ) as unknown as SubjectFacts;
}

const factsOf = (table: string): string => `(${FACTS.map(([, column]) => `${table}.${column}`).join(', ')})`;
