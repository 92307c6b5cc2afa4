import type { SubjectFacts } from '../core/membership.ts';
import type { KnownSubject } from './call-records.ts';
import { type Context, known } from './context.ts';
import type { BatchId } from './records.ts';
import { isCurrent } from './schema.ts';

/** People and things that changes alter. A lost request that is being sent again is in doubt all the same. Forgotten people are unknown now. */

interface Kept {
  readonly project: string;
  readonly name: string;
  readonly sequence: number;
  readonly facts: string | null;
  readonly batch: BatchId | null;
  readonly changedAtMs: number | null;
  readonly doubted_by: BatchId | null;
  readonly row: number;
  readonly operation: string;
  readonly is_open: 0 | 1;
}

const SUBJECTS = `
SELECT s.project, s.name, s.seq AS sequence, s.facts, s.batch, s.changed_at AS "changedAtMs", d.batch AS doubted_by, d.row, d.operation,
  CASE WHEN d.state = 'open' THEN 1 ELSE 0 END AS is_open
FROM subjects s LEFT JOIN calls c ON c.subject = s.id AND c.subject IS NOT NULL AND ${isCurrent('c')} AND c.state <> 'answered'
  LEFT JOIN calls p ON p.id = c.prior AND p.state = 'retried' LEFT JOIN calls d ON d.id = coalesce(p.id, c.id)
WHERE s.account = ? AND s.name NOT LIKE 'erased:%' AND (s.seq > 0 OR c.id IS NOT NULL) ORDER BY s.id`;

export const readSubjects = ({ db, account }: Context) => ({
  /** Every person and thing that the account's changes altered or tried to, those with lost answers among them. */
  async subjects(accountIdentity: string): Promise<readonly KnownSubject[]> {
    const number = await account(accountIdentity);
    return number === undefined ? [] : (await db.rows<Kept>(SUBJECTS, [number])).map(subjectFrom);
  },
});

function subjectFrom({ project, name, sequence, batch, changedAtMs, ...kept }: Kept): KnownSubject {
  const { doubted_by, row, operation, is_open } = kept;
  const facts: SubjectFacts | null = kept.facts === null ? null : JSON.parse(kept.facts);
  return {
    ...{ subject: project === '' ? { name } : { project, name }, sequence },
    ...known({ facts, batch, changedAtMs }),
    ...(doubted_by === null
      ? {}
      : { doubt: { batch: doubted_by, row, operation, ...(is_open === 1 ? { isOpen: true } : {}) } }),
  };
}
