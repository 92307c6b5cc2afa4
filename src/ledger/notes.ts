import { hostname } from 'node:os';
import { invariant } from '../core/errors.ts';
import type { RowNumber } from '../core/row.ts';
import type { Context, WriteContext } from './context.ts';
import { type Cell, each, insertSql, type RecordOf, type Sql } from './db.ts';
import {
  ACTS,
  type Act,
  type BatchId,
  type DecisionId,
  GOES_ON,
  type MatchDecision,
  type Notice,
} from './records.ts';

/**
 * Acts and agreements of people, and what jobs tell outside. The operator of the worker that wrote the note
 * did it.
 */

export const ACT_KINDS = ACTS.map((kind) => `'${kind}'`).join(', ');

export const actsWhere = (sql: Pick<Sql, 'rows'>, where: string, params: readonly Cell[]) =>
  sql.rows<Act>(
    `SELECT note.kind, worker.operator, worker.host, note.at AS "atMs" FROM notes note
      JOIN workers worker ON worker.id = note.worker
      WHERE note.attempt IS NULL AND worker.operator IS NOT NULL AND ${where} ORDER BY note.id`,
    params,
  );

const NOTE_COLUMNS = {
  at: 'int',
  kind: 'text',
  said: 'text',
  attempt: 'int',
  batch: 'text',
  account: 'int',
  worker: 'int',
  who: 'text',
  words: 'text',
  facts: 'text',
  subject: 'int',
  after: 'int',
} as const;
type Note = RecordOf<typeof NOTE_COLUMNS>;

const NOTE = each(NOTE_COLUMNS)<{ readonly id: DecisionId }>(
  `${insertSql('notes', NOTE_COLUMNS)} RETURNING id`,
);

/** @returns the number of the note, by which a decision is known. */
export async function writeNote(
  sql: Sql,
  values: Pick<Note, 'at' | 'kind' | 'who'> & Partial<Note>,
): Promise<DecisionId> {
  const ofNobody = { batch: null, account: null, worker: null, subject: null, after: null };
  const none = { said: null, attempt: null, words: '', facts: null, ...ofNobody };
  const [made] = await sql.each(NOTE, [{ ...none, ...values }]);
  invariant(made !== undefined, 'a note has a number');
  return made.id;
}

const ACT = `
INSERT INTO notes (at, kind, batch, worker, who, words)
SELECT {now}, CAST(? AS TEXT), CAST(? AS TEXT), worker.id, 'person', ''
FROM workers worker WHERE worker.id = ? AND worker.operator IS NOT NULL`;

const IN_OTHER_HANDS = `
AND worker.operator <> coalesce((SELECT worker_other.operator FROM notes note
  JOIN workers worker_other ON worker_other.id = note.worker
  WHERE note.batch = ? AND note.attempt IS NULL AND note.kind IN (${ACT_KINDS})
    ORDER BY note.id DESC LIMIT 1), '')`;

/** Notes who did it, where a person is named. A run that the same person continues is not noted again. */
export async function noteAct(
  sql: Sql,
  { worker }: Pick<WriteContext, 'worker'>,
  kind: Act['kind'],
  batch: BatchId | null,
): Promise<void> {
  if (GOES_ON.includes(kind)) await sql.rows(ACT + IN_OTHER_HANDS, [kind, batch, worker, batch]);
  else await sql.rows(ACT, [kind, batch, worker]);
}

const MATCH = 'match';

export const readNotes = ({ db }: Context) => ({
  /** The newest decision about each row whose answer is about another company or person. */
  async matchDecisions(batch: BatchId): Promise<ReadonlyMap<RowNumber, MatchDecision>> {
    const found = await db.rows<{ said: MatchDecision['kind']; facts: string }>(
      'SELECT said, facts FROM notes WHERE kind = ? AND batch = ? ORDER BY at, id',
      [MATCH, batch],
    );
    return new Map(
      found.map(({ said: kind, facts }) => {
        const { row, about } = JSON.parse(facts) as { readonly row: RowNumber; readonly about: string };
        return [row, { kind, about }];
      }),
    );
  },
});

export const writeNotes = (context: WriteContext) => ({
  noteAgreement: (sha256: string, shown: string, atMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const { worker } = context;
      const at = Math.floor(atMs);
      await writeNote(sql, { at, kind: 'agreed', said: sha256, worker, who: 'person', words: shown });
    }),

  /** Keeps what a person decides about rows whose answers are about another company or person. */
  decideMatches: (
    batch: BatchId,
    decided: readonly (MatchDecision & { readonly row: RowNumber })[],
    atMs: number,
  ): Promise<void> =>
    context.transaction(async (sql) => {
      const { worker } = context;
      const at = Math.floor(atMs);
      for (const { kind: said, ...facts } of decided)
        await writeNote(sql, {
          at,
          kind: MATCH,
          said,
          batch,
          worker,
          who: 'person',
          facts: JSON.stringify(facts),
        });
    }),

  /**
   * @param sha256s of our files that may stand there from now on.
   * @param batch whose rows are in what is new there.
   */
  noteWritten: (path: string, sha256s: readonly string[], batch?: BatchId): Promise<void> =>
    context.transaction(async (sql) => {
      const known = await writtenAt(sql, path);
      const gone = `DELETE FROM files WHERE kind = 'written' AND path = ? AND host = ? AND sha256 = ?`;
      for (const sha256 of known.filter((each) => !sha256s.includes(each)))
        await sql.rows(gone, [path, hostname(), sha256]);
      // What stands at the path until it is replaced keeps its batch.
      for (const sha256 of sha256s.filter((each) => !known.includes(each)))
        await noteFile(sql, { path, kind: 'written', sha256, batch });
    }),
});

export const notices = (context: WriteContext) => ({
  /** Keeps a notice; one with this id that is there already stays. */
  keep: ({ id, kind, target, body, atMs }: Notice): Promise<void> =>
    context.transaction(async (sql) => {
      await sql.rows(
        'INSERT INTO notices (id, kind, target, body, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING',
        [id, kind, target, body, Math.floor(atMs)],
      );
    }),
  /**
   * The notices that no one is known to have received, the oldest first. Where many processes spend, two of
   * them may send the same notice.
   */
  waiting: (): Promise<readonly Notice[]> =>
    context.db.rows<Notice>(
      'SELECT id, kind, target, body, at AS "atMs" FROM notices WHERE sent_at IS NULL ORDER BY at, id',
    ),
  noteSent: (id: string, atMs: number): Promise<void> =>
    context.transaction(async (sql) => {
      const sent = 'UPDATE notices SET sent_at = ? WHERE id = ? AND sent_at IS NULL';
      await sql.rows(sent, [Math.floor(atMs), id]);
    }),
});

// ---------------------------------------------------------------------------------------- files of this host

// Files on this host: which were read, and what we wrote where. The name of the host tells which they are.

/** SHA-256 of what we last wrote at that path; two of them while the file is being replaced. */
async function writtenAt(sql: Pick<Sql, 'rows'>, path: string): Promise<readonly string[]> {
  const found = await sql.rows<{ sha256: string }>(
    `SELECT sha256 FROM files WHERE kind = 'written' AND path = ? AND host = ?`,
    [path, hostname()],
  );
  return found.map(({ sha256 }) => sha256);
}

interface NotedFile {
  readonly path: string;
  /** `written`: a file that we wrote for a batch. `list`: the list of a batch. `job`: its job file. */
  readonly kind: 'written' | 'list' | 'job';
  /** Empty where it is not known. */
  readonly sha256: string;
  readonly batch: BatchId | undefined;
}

export async function noteFile(sql: Sql, { path, kind, sha256, batch }: NotedFile): Promise<void> {
  await sql.rows(
    'INSERT INTO files (path, kind, sha256, batch, host) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    [path, kind, sha256, batch ?? null, hostname()],
  );
}
