import type { Wrong } from './verify-counts.ts';

/**
 * What must be true of changes, stated again without the guards of `schema/changes.ts`. If a subject differed from its
 * log, a change of it would be made twice, or never.
 */

/** The sequence is the number of settled changes, which are numbered without a gap. */
const WRONG_SEQUENCE = `
SELECT s.id
  FROM subjects s LEFT JOIN changes g ON g.subject = s.id
 GROUP BY s.id
HAVING (count(g.attempt), coalesce(max(g.sequence), 0), coalesce(min(g.sequence), 1)) IS NOT (s.sequence, s.sequence, 1)
 LIMIT 1`;

/** What a change left, of an attempt that did not settle it. */
const WRONG_ENTRY = `
SELECT g.attempt AS id
  FROM changes g LEFT JOIN attempts a ON a.id = g.attempt LEFT JOIN calls c ON c.id = a.call
 WHERE (c.subject, c.after + 1) IS NOT (g.subject, g.sequence)
    OR NOT EXISTS (SELECT 1 FROM answers k WHERE k.attempt = a.id AND k.kind <> 'read')
 LIMIT 1`;

const FORGOTTEN_ENTRY = `
SELECT c.id
  FROM calls c LEFT JOIN changes g ON g.subject = c.subject AND g.sequence = c.after + 1
 WHERE c.subject IS NOT NULL AND c.state = 'answered' AND g.attempt IS NULL
 LIMIT 1`;

/**
 * A change that may still happen is the only one of its subject, and the next in its sequence, unless a person told its
 * answer meanwhile.
 */
const WRONG_PENDING = `
SELECT p.call AS id
  FROM pending_changes p JOIN calls c ON c.id = p.call JOIN subjects s ON s.id = p.subject
 WHERE (c.after <> s.sequence AND c.state <> 'answered')
    OR EXISTS (SELECT 1 FROM pending_changes o WHERE o.subject = p.subject AND o.call <> p.call)
 LIMIT 1`;

/** The call itself states what it changes and after which change. */
const WRONG_SUBJECT = `
SELECT c.id
  FROM calls c LEFT JOIN subjects s ON s.id = c.subject
 WHERE (c.subject IS NOT NULL OR instr(c.terms, '"change":{') > 0)
   AND (c.after, s.name, s.project, s.account) IS NOT (
     c.terms ->> '$.after',
     c.terms ->> '$.change.subject.name',
     iif(json_type(c.terms, '$.change') IS NULL, NULL, coalesce(c.terms ->> '$.change.subject.project', '')),
     iif(json_type(c.terms, '$.change') IS NULL, NULL, c.account))
 LIMIT 1`;

const WRONG_PLAN = `
SELECT b.ordinal AS id
  FROM batches b
 WHERE b.planned_rows <> (SELECT count(*) FROM planned p WHERE p.batch = b.id)
 LIMIT 1`;

export const WRONG_CHANGES: readonly Wrong[] = [
  [WRONG_SEQUENCE, (subject) => `subject ${subject} is not where its changes left it`],
  [WRONG_ENTRY, (attempt) => `the change by attempt ${attempt} is not what its call says`],
  [FORGOTTEN_ENTRY, (call) => `call ${call} changed something, and nothing says what it left`],
  [WRONG_PENDING, (call) => `call ${call} is a change that was overtaken by another`],
  [WRONG_SUBJECT, (call) => `call ${call} is a change of something else than it says`],
  [WRONG_PLAN, (batch) => `the plan of batch number ${batch + 1} is not whole`],
];
