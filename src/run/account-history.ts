import { StopError } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountState } from '../ledger/ledger.ts';

/** What an account has answered: as the ledger had it when the session began, and to this process and others since. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
  found: number;
  readonly foundBefore: number;
  /** How many of status 404 came last. */
  misses: number;
  /** How many of them, in this run, are about a path and not about a company. */
  routeMisses: number;
  /** Whether a person has said that these misses are the vendor's own answers. */
  kept: boolean;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

type Told = Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>;

/** @param word about the misses. */
export function historyOf(
  told: Told,
  trusted: boolean,
  word?: 'stopped' | 'accepted' | 'taken back',
): AccountHistory {
  const { answers, answersNot404, found, misses } = told;
  const [routeMisses, kept] = [word === 'stopped' ? ROUTE_MISSES : 0, word === 'accepted'];
  return { answers, answersNot404, found, foundBefore: found, misses, routeMisses, kept, trusted };
}

export function noteAnswer(
  history: AccountHistory,
  status: number,
  isFound: boolean,
  isOfRoute = false,
): void {
  history.answers += 1;
  if (isFound) history.found += 1;
  if (status === 404) {
    history.misses += 1;
    history.routeMisses = isOfRoute ? history.routeMisses + 1 : 0;
  } else {
    history.answersNot404 += 1;
    Object.assign(history, { misses: 0, routeMisses: 0, kept: false });
  }
}

/**
 * Takes in what the ledger has of the account by now, of the answers to this process and to others. What came since is not in it, so
 * nothing is forgotten of a series that no other answer has ended.
 */
export function hearOfAnswers(history: AccountHistory, told: Told): void {
  const others = told.answersNot404 - history.answersNot404;
  history.answers = Math.max(history.answers, told.answers);
  history.answersNot404 = Math.max(history.answersNot404, told.answersNot404);
  history.found = Math.max(history.found, told.found);
  if (others > 0) Object.assign(history, { misses: told.misses, routeMisses: 0, kept: false });
  else if (others === 0) history.misses = Math.max(history.misses, told.misses);
}

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_MISSES = 20;

/** When the answers themselves say that there is no such path, this many are enough. */
const ROUTE_MISSES = 3;

/** For an account that found something for more than a fifth of its calls, this many misses in a row are no chance. */
const SUDDEN_MISSES = 100;
const USUAL_SHARE = 0.2;

/** The stop for misses that look like a wrong address; undefined where they do not. Answers to changes are never taken back. */
export function missesStop(history: AccountHistory, isOfChanges: boolean): StopError | undefined {
  const { answers, answersNot404, found, misses, kept, trusted, routeMisses } = history;
  const isFirst = answersNot404 === 0;
  const share = answers > misses ? found / (answers - misses) : 0;
  const isSudden = misses >= SUDDEN_MISSES && share > USUAL_SHARE;
  const isMany = routeMisses >= ROUTE_MISSES || (isFirst ? misses >= FIRST_MISSES : isSudden);
  if (kept || trusted || !isMany) return undefined;
  const [message, check] = isFirst
    ? [
        `The first ${misses} answers of this account were all status 404.`,
        `Check the account's base_url${isOfChanges ? '' : ' (a corrected one asks for all of them again)'}; if it is right,`,
      ]
    : [
        `The last ${counted(misses, 'answer')} of this account were all status 404, but ${Math.round(share * 100)} % of those before them were matches.`,
        "Check the account's base_url and everything between here and the vendor; then",
      ];
  const [ways, words] = isOfChanges
    ? ['to continue', ['no-match']]
    : [
        'to keep them as no match, or with --accept take-back to ask for them again',
        ['no-match', 'take-back'],
      ];
  const next = `${check} run the same list with --accept no-match ${ways}.`;
  return new StopError({ code: 'address', message, next, answers: words });
}

/**
 * Whether the account has given no other answer than 404 yet, so that its address may be wrong: then a 404 says nothing of
 * whom it was asked about.
 */
export function onlyMissesYet({ answersNot404, kept, trusted }: AccountHistory): boolean {
  return answersNot404 === 0 && !kept && !trusted;
}
