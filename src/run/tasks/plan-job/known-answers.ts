import type { Account } from '../../../client/account/account.ts';
import { answerPlaceOf, type Dialect } from '../../../client/dialect.ts';
import { fieldsOf } from '../../../core/answer-body.ts';
import { PathSearch } from '../../../core/answer-fields.ts';
import { shownBody } from '../../../files/output/output.ts';
import type { Job } from '../../../job/job.ts';
import type { LedgerReader } from '../../../ledger/ledger.ts';

/** How many answers are read: enough to see every field that matters, and few enough to read in a moment. */
const ANSWERS_READ = 200;

const BATCHES_READ = 20;

/**
 * Collects the fields of an operation's answers so far, for a user who chooses which of them the job adds. Undefined when there
 * is no answer yet.
 */
export async function knownAnswers(
  ledger: Pick<LedgerReader, 'batches' | 'rows'>,
  { operation: { name }, add = {} }: Pick<Job, 'operation' | 'add'>,
  { identity }: Pick<Account, 'identity'>,
  dialect: Dialect,
): Promise<PathSearch | undefined> {
  const paths = new PathSearch(Object.values(add));
  const place = answerPlaceOf(dialect, name);
  const batches = (await ledger.batches()).filter(
    (batch) => batch.operation === name && batch.accountIdentity === identity,
  );
  const attempts = new Set<number>();
  for (const { id } of batches.slice(0, BATCHES_READ)) {
    for (const { answers } of await ledger.rows(id, 0, ANSWERS_READ)) {
      const last = answers.findLast(({ kind }) => kind === 'found');
      const body = shownBody(answers);
      if (last === undefined || body === undefined || attempts.has(last.attempt)) continue;
      attempts.add(last.attempt);
      paths.look(fieldsOf(body, place));
      if (attempts.size === ANSWERS_READ) return paths;
    }
  }
  return attempts.size === 0 ? undefined : paths;
}
