import { isTaking } from '../core/given.ts';
import { stepNames } from '../core/steps.ts';
import { recordParts } from '../files/kept-rows.ts';
import { shownAnswer } from '../files/output/output.ts';
import type { LedgerReader, RowRecord } from '../ledger/ledger.ts';
import { PathSearch, saidIn } from '../values/answer-fields.ts';
import { accountsOf, answerPlaceIn, type ResolvedJob } from '../walk/resolved-job.ts';

/** A path that none of this many answers of an account has counts as missing in all. */
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
  const paths = new PathSearch(Object.values(resolved.job.add ?? {}));
  for (const { account, dialect } of accountsOf(resolved))
    await lookIn(ledger, { ...resolved, account, dialect, further: [] }, paths, fewest);
  return paths.hasAnswers ? paths : undefined;
}

async function lookIn(
  ledger: LedgerReader,
  resolved: ResolvedJob,
  paths: PathSearch,
  fewest: number,
): Promise<void> {
  const { name } = resolved.account;
  const seen = new Set<number>();
  for await (const { attempt, shown } of foundIn(ledger, resolved)) {
    if (seen.has(attempt)) continue;
    const steps = shown.place.steps && Object.keys(shown.place.steps).map((step) => `${step}.`);
    paths.look(saidIn(shown.body, shown.place), steps, name);
    if (seen.add(attempt).size >= (paths.isComplete(name) ? fewest : MOST_ANSWERS)) break;
  }
}

/** What the account of the job has found. */
async function* foundIn(ledger: LedgerReader, resolved: ResolvedJob) {
  const { operation } = resolved.job;
  const place = answerPlaceIn(resolved);
  const names = [operation.name, ...stepNames(operation.name)];
  for await (const answers of answersOf(ledger, resolved.account.identity, names)) {
    // An id that led to no data is not a match.
    if (answers.some(({ call, kind }) => isTaking(call) && kind !== 'found')) continue;
    // A match that fills nothing shows best that a path is wrong.
    const found = answers.filter(({ kind }) => kind === 'found').map((each) => ({ ...each, fills: true }));
    const last = found.at(-1);
    const shown = shownAnswer(found, place);
    if (last !== undefined && shown !== undefined) yield { attempt: last.attempt, shown };
  }
}

/** The account's answers on which the rows of its lists rest, the newest list first. */
async function* answersOf(
  ledger: LedgerReader,
  account: string,
  operations: readonly string[],
): AsyncGenerator<RowRecord['answers'], void> {
  for (const { id, operation, accounts } of await ledger.batches())
    if (operations.includes(operation) && accounts.some(({ identity }) => identity === account))
      for await (const part of recordParts(ledger, id, PART_ROWS))
        for (const { answers } of part) yield answers.filter((each) => each.accountIdentity === account);
}
