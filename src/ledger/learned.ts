import { setImmediate } from 'node:timers/promises';
import { invariant } from '../core/errors.ts';
import type { Subject, SubjectFacts } from '../core/membership.ts';
import type { RowNumber } from '../core/row.ts';
import { parts } from '../lib/parts.ts';
import { type Context, type WriteContext, withoutNulls } from './context.ts';
import { each } from './db.ts';
import { writeNote } from './notes.ts';
import type { BatchId } from './records.ts';
import { isCurrent } from './schema.ts';
import { addSubjects, advances } from './transitions.ts';

/** What lists say of people who are there already. Nothing is asked for it, and nothing is charged. */

export interface Learned {
  readonly accountIdentity: string;
  readonly batch: BatchId;
  readonly row: RowNumber;
  readonly subject: Subject;
  /** How many changes of the subject were settled when the list was planned. */
  readonly after: number;
  readonly leaves: SubjectFacts;
  readonly atMs: number;
}

/** The subject and what was learned of it are gone once the person is forgotten. */
export interface LearnedRecord extends Pick<Learned, 'batch' | 'row' | 'atMs'> {
  readonly subject?: Subject;
  readonly leaves?: SubjectFacts;
  readonly words: string;
  readonly operator?: string;
}

/** The change of a subject that is under way, accepted or in doubt. */
const changeOf = (s: string): string =>
  // rule 11d
  `SELECT 1 FROM attempts att WHERE att.subject = ${s}.id AND att.after = ${s}.seq AND ${isCurrent('att')}`;

const LEARN = each({
  account: 'int',
  project: 'text',
  subject: 'text',
  after: 'int',
  facts: 'text',
  batch: 'text',
  at: 'int',
})<{ readonly id: number }>(`
UPDATE subjects SET ${advances('v.batch')} FROM v
WHERE subjects.account = v.account AND subjects.project = v.project AND subjects.name = v.subject
  AND subjects.seq = v.after AND NOT EXISTS (${changeOf('subjects')})
RETURNING subjects.id`);

export const writeLearned = (context: WriteContext) => ({
  /**
   * Notes what a list says of people who are as they were when it was planned. All of it is in one commit, so
   * that a crash leaves none half done.
   */
  noteLearned: (learned: readonly Learned[], words: string): Promise<void> =>
    context.transaction(async (sql) => {
      for (const { accountIdentity, subject, after, batch, row, leaves, atMs } of learned) {
        const account = await context.account(accountIdentity);
        invariant(account !== undefined, 'a batch has an account');
        const of = { account, project: subject.project ?? '', subject: subject.name };
        const at = Math.floor(atMs);
        await sql.each(addSubjects, [of]);
        const [noted] = await sql.each(LEARN, [{ ...of, after, facts: JSON.stringify(leaves), batch, at }]);
        if (noted === undefined) continue;
        const facts = JSON.stringify({ row, leaves });
        const learnedNote = {
          at,
          kind: 'learned',
          batch,
          worker: context.worker,
          who: 'person',
          words,
          facts,
        };
        await writeNote(sql, { ...learnedNote, subject: noted.id, after });
      }
    }),
});

const AT_ONCE = 1_000;

const LEARNED = `
SELECT note.id, note.at AS "atMs", note.batch, note.words, note.facts, worker.operator, sub.project, sub.name
FROM notes note JOIN subjects sub ON sub.id = note.subject LEFT JOIN workers worker ON worker.id = note.worker
WHERE note.subject IS NOT NULL AND note.id < ? AND note.batch = coalesce(CAST(? AS TEXT), note.batch)
ORDER BY note.id DESC LIMIT CAST(? AS {int})`;

interface KeptLearned extends Pick<LearnedRecord, 'batch' | 'atMs' | 'words'> {
  readonly id: number;
  readonly facts: string;
  readonly operator: string | null;
  readonly project: string;
  readonly name: string;
}

export const readLearned = ({ db }: Context) => ({
  /** What one batch has learned, or all of them, the newest first. */
  async *learned(batch: BatchId | null = null): AsyncGenerator<readonly LearnedRecord[]> {
    const read = (before: number) => db.rows<KeptLearned>(LEARNED, [before, batch, AT_ONCE]);
    for await (const part of parts(AT_ONCE, Number.MAX_SAFE_INTEGER, read, ({ id }) => id)) {
      yield part.map(learnedFrom);
      await setImmediate();
    }
  },
});

function learnedFrom({ id: _, facts, operator, project, name, ...others }: KeptLearned): LearnedRecord {
  const { row, leaves }: Pick<LearnedRecord, 'row' | 'leaves'> = JSON.parse(facts);
  const about = leaves && { subject: project === '' ? { name } : { project, name }, leaves };
  return { ...others, row, ...withoutNulls({ operator }), ...about };
}
