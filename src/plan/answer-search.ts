import { PathSearch, saidIn } from '../core/answer-fields.ts';
import { stepNames } from '../core/steps.ts';
import { recordParts } from '../files/kept-rows.ts';
import { shownBody } from '../files/output/output.ts';
import type { LedgerReader, RowRecord } from '../ledger/ledger.ts';
import { accountsOf, answerPlaceIn, type ResolvedJob } from './row-walk.ts';

/** A path that none of this many answers has counts as missing in all. */
const MOST_ANSWERS = 2_000;

const PART_ROWS = 200;

/**
 * Looks for the paths of `add` in the account's matches of the operation, also those of earlier lists, from
 * the newest list on: until each path is found, or enough answers were read. Undefined where there is no
 * match yet.
 * @param fewest the number of answers that are read in any case, for a caller that shows their fields.
 */
export async function searchAnswers(
  ledger: LedgerReader | undefined,
  resolved: ResolvedJob,
  fewest: number,
): Promise<PathSearch | undefined> {
  if (ledger === undefined) return undefined;
  const { job } = resolved;
  const { name } = job.operation;
  const paths = new PathSearch(Object.values(job.add ?? {}));
  const place = answerPlaceIn(resolved);
  const identities = accountsOf(resolved).map(({ account }) => account.identity);
  const seen = new Set<number>();
  for await (const answers of answersOf(ledger, identities, [name, ...stepNames(name)])) {
    const last = answers.findLast(({ kind }) => kind === 'found');
    const body = shownBody(answers, place);
    if (last === undefined || body === undefined || seen.has(last.attempt)) continue;
    paths.look(saidIn(body, place));
    if (seen.add(last.attempt).size >= (paths.isComplete ? fewest : MOST_ANSWERS)) break;
  }
  return seen.size === 0 ? undefined : paths;
}

/** The answers on which the rows of the account's lists rest, the newest list first. */
async function* answersOf(
  ledger: LedgerReader,
  accounts: readonly string[],
  operations: readonly string[],
): AsyncGenerator<RowRecord['answers'], void> {
  for (const { id, operation, accountIdentity } of await ledger.batches())
    if (operations.includes(operation) && accounts.includes(accountIdentity))
      for await (const part of recordParts(ledger, id, PART_ROWS))
        for (const { answers } of part) yield answers;
}
