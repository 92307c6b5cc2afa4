import { answerPlaceOf } from '../client/dialect.ts';
import { fieldsOf } from '../core/answer-body.ts';
import { PathSearch } from '../core/answer-fields.ts';
import { stepNames } from '../core/steps.ts';
import { shownBody } from '../files/output/output.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { recordPages } from '../ledger/rows.ts';
import type { ResolvedJob } from './row-walk.ts';

/** A path that none of so many has is in none. */
const MOST_ANSWERS = 2_000;

const PAGE_ROWS = 200;

/**
 * Looks for the paths of `add` in the account's matches of the operation, also of earlier lists, from the newest list on: until each path
 * is found, or enough was seen. Undefined where there is no match yet.
 * @param fewest so many are looked at in any case, for who shows their fields.
 */
export async function searchAnswers(
  ledger: LedgerReader | undefined,
  { job: { operation, add = {} }, account: { identity }, dialect }: ResolvedJob,
  fewest: number,
): Promise<PathSearch | undefined> {
  const { name } = operation;
  const paths = new PathSearch(Object.values(add));
  const place = answerPlaceOf(dialect, name);
  const names = [name, ...stepNames(name)];
  const attempts = new Set<number>();
  for (const { id, operation: of, accountIdentity } of (await ledger?.batches()) ?? []) {
    if (ledger === undefined || !names.includes(of) || accountIdentity !== identity) continue;
    for await (const page of recordPages(ledger, id, PAGE_ROWS))
      for (const { answers } of page) {
        const last = answers.findLast(({ kind }) => kind === 'found');
        const body = shownBody(answers, place);
        if (last === undefined || body === undefined || attempts.has(last.attempt)) continue;
        attempts.add(last.attempt);
        paths.look(fieldsOf(body, place));
        const isEnough = attempts.size >= (paths.isComplete ? fewest : MOST_ANSWERS);
        if (isEnough) return paths;
      }
  }
  return attempts.size === 0 ? undefined : paths;
}
