import type { Dialect, DialectOperation } from '../client/dialect.ts';
import { basePathOf } from '../client/request.ts';
import { StopError } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountState } from '../ledger/ledger.ts';
import type { RunContext } from '../plan/context.ts';

/**
 * Series of answers of status 404 without another answer in between. A few of them are unknown companies. Very many more often mean
 * a wrong path, or a server in front of the vendor that answers in its place: then the run stops before more rows end as "no match",
 * and only a person who has read that continues. The ledger counts them, so that they are told also after a kill.
 */

/** What an account has answered: as the ledger had it when the session began, and to this process and others since. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
  found: number;
  readonly foundBefore: number;
  misses: number;
  /** Whether a person has said that these misses are the vendor's own answers. */
  kept: boolean;
  /** Misses at the end of the series, in this run, that are about a path and not about a company. */
  routeMisses: number;
  /** Whether a run was stopped for the series and nobody has decided yet. */
  suspected: boolean;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

type Told = Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>;

const isSuspected = ({ misses: { place, kept } }: Told): boolean => place !== undefined && !kept;

export function historyOf(told: Told, trusted: boolean): AccountHistory {
  const { answers, answersNot404, found, misses } = told;
  const { count, kept } = misses;
  const suspected = isSuspected(told);
  return {
    answers,
    answersNot404,
    found,
    foundBefore: found,
    misses: count,
    kept,
    routeMisses: 0,
    suspected,
    trusted,
  };
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
    Object.assign(history, { misses: 0, routeMisses: 0, kept: false, suspected: false });
  }
}

/**
 * Takes in what the ledger has of the account by now, of the answers to this process and to others. What came since is not in it, so
 * nothing is forgotten of a series that no other answer has ended.
 */
export function hearOfAnswers(history: AccountHistory, told: Told): void {
  const { answers, answersNot404, found, misses } = told;
  const isBehind = answersNot404 < history.answersNot404;
  const hasEnded = answersNot404 > history.answersNot404;
  history.answers = Math.max(history.answers, answers);
  history.answersNot404 = Math.max(history.answersNot404, answersNot404);
  history.found = Math.max(history.found, found);
  if (isBehind) return;
  history.misses = hasEnded ? misses.count : Math.max(history.misses, misses.count);
  history.kept = misses.kept;
  history.suspected = isSuspected(told);
}

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_MISSES = 20;

/** When the answers themselves say that there is no such path, this many are enough. */
const ROUTE_MISSES = 3;

/** For an account that found something for more than a fifth of its calls, this many misses in a row are no chance. */
const SUDDEN_MISSES = 100;
const USUAL_SHARE = 0.2;

/** Whether misses look like a wrong address: the `first` answers of the account, or `sudden` ones after matches. */
export function suspicionOf(history: AccountHistory): 'first' | 'sudden' | undefined {
  const { answersNot404, misses, kept, trusted, suspected, routeMisses } = history;
  if (kept || trusted) return undefined;
  const isOfRoute = suspected || routeMisses >= ROUTE_MISSES;
  if (answersNot404 === 0) return isOfRoute || misses >= FIRST_MISSES ? 'first' : undefined;
  return isOfRoute || (misses >= SUDDEN_MISSES && shareBefore(history) > USUAL_SHARE) ? 'sudden' : undefined;
}

function shareBefore({ answers, misses, found }: AccountHistory): number {
  return answers > misses ? found / (answers - misses) : 0;
}

/** The stop for misses that are suspected; undefined where none are. Answers to changes are never taken back. */
export function missesStop(history: AccountHistory, isOfChanges: boolean): StopError | undefined {
  const suspicion = suspicionOf(history);
  if (suspicion === undefined) return undefined;
  const { misses } = history;
  const message =
    suspicion === 'first'
      ? `The first ${misses} answers of this account were all status 404.`
      : `The last ${counted(misses, 'answer')} of this account were all status 404, but ${Math.round(shareBefore(history) * 100)} % of those before them were matches.`;
  const check =
    suspicion === 'sudden'
      ? "Check the account's base_url and everything between here and the vendor; then"
      : `Check the account's base_url${isOfChanges ? '' : ' (a corrected one asks for all of them again)'}; if it is right,`;
  const next = isOfChanges
    ? `${check} run the same list with --accept no-match to continue.`
    : `${check} run the same list with --accept no-match to keep them as no match, or with --accept take-back to ask for them again.`;
  return new StopError({
    code: 'address',
    message,
    next,
    answers: isOfChanges ? ['no-match'] : ['no-match', 'take-back'],
  });
}

/**
 * Whether the account has given no other answer than 404 yet, so that its address may be wrong: then a 404 says nothing of
 * whom it was asked about.
 */
export function onlyMissesYet({ answersNot404, kept, trusted }: AccountHistory): boolean {
  return answersNot404 === 0 && !kept && !trusted;
}

/** How many answers an account has given, when all were misses and no person has accepted them; undefined otherwise. */
export function onlyMisses(told: Told, trusted: boolean): number | undefined {
  return told.misses.count > 0 && onlyMissesYet(historyOf(told, trusted)) ? told.misses.count : undefined;
}

export function onlyMissesWords(count: number): string {
  return `only status 404 so far, ${counted(count, 'answer')}: check the account's base_url`;
}

/** The address of an operation's requests: the account's address and the path as the dialect writes it. */
export function requestAddress(
  { origin, basePath }: { readonly origin: string; readonly basePath: string },
  { path }: Pick<DialectOperation, 'path'>,
): string {
  return `${origin}${basePath}${path}`;
}

/** Whether no operation sends requests there any more: somebody has corrected the address. */
function isCorrected(place: string, baseUrl: URL, { operations }: Dialect): boolean {
  const at = { origin: baseUrl.origin, basePath: basePathOf(baseUrl) };
  return Object.values(operations).every((operation) => requestAddress(at, operation) !== place);
}

/**
 * Settles the misses at which an earlier run was stopped. It takes them back when the address was corrected or a person
 * says so, and keeps them when a person says that. Rows whose answers are taken back are pending again, so this has to
 * happen before finished rows are counted.
 * @returns the stop when no person has decided.
 */
export async function settleMisses(
  {
    ledger,
    account,
    dialect,
    accept,
    emit,
  }: Pick<RunContext, 'ledger' | 'account' | 'dialect' | 'accept' | 'emit'>,
  baseUrl: URL,
): Promise<StopError | undefined> {
  const state = await ledger.account(account.identity);
  const { place, count } = state.misses;
  const stopped = missesStop(historyOf(state, false), account.vendor === 'service');
  const isAskedBack = accept === 'take-back' && (place !== undefined || stopped !== undefined);
  const note = (misses: number, what: string): void =>
    emit({
      kind: 'note',
      message: `${counted(misses, 'answer')} of status 404 ${misses === 1 ? 'is' : 'are'} ${what}.`,
    });
  if (isAskedBack || (place !== undefined && isCorrected(place, baseUrl, dialect))) {
    note(await ledger.retractMisses(account.identity), 'taken back and requested again');
    return undefined;
  }
  if (stopped === undefined || accept !== 'no-match') return stopped;
  await ledger.markMisses(account.identity, { kept: true, ...present({ place }) });
  note(count, 'kept as no match');
  return undefined;
}
