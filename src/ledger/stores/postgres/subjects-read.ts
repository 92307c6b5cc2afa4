import type { SubjectDoubt } from '../../../core/membership.ts';
import type { BatchId, KnownSubject, Ledger } from '../../ledger.ts';
import { present, type Session } from './session.ts';

/** What changes altered, before the ledger was copied here: jobs that change something are refused in this store, see `lookupsOnly`. */

export const subjects = ({ database }: Session) =>
  ({
    async subjects(accountIdentity) {
      const found = await database.rows<SubjectRow>(SUBJECTS, [accountIdentity]);
      return found.flatMap(({ project, name, sequence, facts, batch, changedAtMs, doubt }) => {
        if (sequence === 0 && doubt === null) return [];
        const known = {
          subject: project === '' ? { name } : { project, name },
          sequence,
          ...present({ facts: facts?.state == null ? null : present(facts), batch, changedAtMs, doubt }),
        };
        return [known as unknown as KnownSubject];
      });
    },
  }) satisfies Partial<Ledger>;

interface SubjectRow {
  readonly project: string;
  readonly name: string;
  readonly sequence: number;
  readonly facts: Readonly<Record<string, string | null>> | null;
  readonly batch: BatchId | null;
  readonly changedAtMs: number | null;
  readonly doubt: SubjectDoubt | null;
}

const SAME = ['state', 'role', 'email', 'invite_code', 'user_id', 'project_id'];
const factsOf = (changes: string): string => `(${SAME.map((column) => `${changes}.${column}`).join(', ')})`;

/** Without forgotten people, who are unknown now. The newest change that left something else than the one before it says who made it. */
const SUBJECTS = `
SELECT s.project, s.name, s.sequence, l.batch, l.at AS "changedAtMs", d.doubt,
       CASE WHEN g.attempt IS NOT NULL THEN json_build_object('state', g.state, 'role', g.role, 'email', g.email,
         'inviteCode', g.invite_code, 'userId', g.user_id, 'projectId', g.project_id) END AS facts
  FROM subjects s
  LEFT JOIN changes g ON g.subject = s.id AND g.sequence = s.sequence
  LEFT JOIN LATERAL (
    SELECT a.batch, k.at FROM changes c LEFT JOIN changes b ON b.subject = c.subject AND b.sequence = c.sequence - 1
      JOIN entries a ON a.of = c.attempt AND a.id = c.attempt
      LEFT JOIN entries k ON k.of = c.attempt AND k.kind IN ('answered', 'told', 'read')
     WHERE c.subject = s.id AND ${factsOf('c')} IS DISTINCT FROM ${factsOf('b')} ORDER BY c.sequence DESC LIMIT 1) l ON true
  LEFT JOIN LATERAL (
    SELECT json_build_object('batch', a.batch, 'row', a.row, 'operation', c.operation) AS doubt
      FROM calls c JOIN entries a ON a.of = c.stands AND a.id = c.stands
     WHERE c.state = 'doubt' AND c.account = s.account AND c.terms -> 'change' -> 'subject' ->> 'name' = s.name
       AND coalesce(c.terms -> 'change' -> 'subject' ->> 'project', '') = s.project LIMIT 1) d ON true
 WHERE s.account = $1 AND s.name NOT LIKE 'erased:%' ORDER BY s.id`;
