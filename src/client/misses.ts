import { StopError } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountState } from '../ledger/ledger.ts';
import type { Dialect, DialectOperation } from './dialect.ts';

/**
 * Series of answers of status 404 without another answer in between. A few of them are unknown companies. Very many
 * more often mean a wrong path, or a server in front of the vendor that answers in its place: then the run stops before
 * more rows end as "no match", and a person decides. Only a person who has read that continues.
 */

export interface AccountHistory {
  answers: number;
  answersNot404: number;
  found: number;
  readonly foundBefore: number;
  misses: number;
  unread?: number;
  /** Consecutive matches that stated a cost of nothing although the dialect has a price. */
  free?: number;
  /** Whether the user was told that the service's answers hold none of the vendor's where its dialect says. */
  unwrapped?: boolean;
  /** Consecutive answers that came whole and that nobody could read, but for those that a person accepted. */
  odd?: number;
  /** Whether a person has said that these misses are the vendor's own answers. */
  kept: boolean;
  /** Misses at the end of the series, in this run, that are about a path and not about a company. */
  routeMisses?: number;
  /** Whether a run was stopped for the series and nobody has decided yet. */
  suspected?: boolean;
  /** Play money, so that a wrong answer costs nothing. */
  readonly trusted: boolean;
}

export function historyOf(
  { answers, answersNot404, found, misses }: AccountState,
  trusted: boolean,
): AccountHistory {
  const suspected = misses.place !== undefined && !misses.kept;
  return {
    ...{ answers, answersNot404, found, foundBefore: found },
    ...{ misses: misses.count, kept: misses.kept, suspected, trusted },
  };
}

export function noteAnswer(
  history: AccountHistory,
  status: number,
  found: boolean,
  namesRoute = false,
): void {
  history.answers += 1;
  history.odd = 0;
  history.routeMisses = namesRoute && status === 404 ? (history.routeMisses ?? 0) + 1 : 0;
  if (found) history.found += 1;
  if (status === 404) {
    history.misses += 1;
    return;
  }
  history.answersNot404 += 1;
  history.misses = 0;
  history.kept = false;
  history.suspected = false;
}

/**
 * Takes in what the ledger has of the account by now, of the answers to this process and to others. What came since is not in it, so
 * nothing is forgotten of a series that no other answer has ended.
 */
export function hearOfAnswers(
  history: AccountHistory,
  {
    answers,
    answersNot404,
    found,
    misses,
  }: Pick<AccountState, 'answers' | 'answersNot404' | 'found' | 'misses'>,
): void {
  const isBehind = answersNot404 < history.answersNot404;
  const hasEnded = answersNot404 > history.answersNot404;
  history.answers = Math.max(history.answers, answers);
  history.answersNot404 = Math.max(history.answersNot404, answersNot404);
  history.found = Math.max(history.found, found);
  if (isBehind) return;
  history.misses = hasEnded ? misses.count : Math.max(history.misses, misses.count);
  history.kept = misses.kept;
  history.suspected = misses.place !== undefined && !misses.kept;
}

/** `first`: the account never answered anything else. `sudden`: it often found something before. */
type Suspicion = 'first' | 'sudden';

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_MISSES = 20;

/** When the answers themselves say that there is no such path, this many are enough. */
const ROUTE_MISSES = 3;

const FEW_MISSES = 3;

/** Words of a server that has nothing at a path. The URL of a profile that is not found is no such word. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint)\b(?! param)|\b(?:path|route|endpoint)\b[^"]{0,80}(?:not found|not exist)|\bcannot (?:get|post|put|patch|delete) \//i;

/** Some vendors say the same of a company that they do not have. */
const MAY_NAME_ROUTE = /\brequested url\b[^"]{0,80}(?:not found|not exist)/i;

const LOOKED_AT_BYTES = 2_000;

export function namesRoute(body: Buffer): boolean {
  return NAMES_ROUTE.test(beginningOf(body));
}

/** The same also for words that may be about the question: enough where the account has answered nothing else. */
export function mayNameRoute(body: Buffer): boolean {
  return namesRoute(body) || MAY_NAME_ROUTE.test(beginningOf(body));
}

const NAMES_PROJECT = /\b(?:no such|unknown|invalid) project\b|\bproject[^"]{0,80}(?:not.found|not exist)/i;
const NAMES_PERSON = /user|member|person|invit/i;

/** Whether an answer is about a project that is not there, and about nobody in it. */
export function namesProject(body: Buffer): boolean {
  const words = beginningOf(body);
  return NAMES_PROJECT.test(words) && !NAMES_PERSON.test(words);
}

const beginningOf = (body: Buffer): string => body.toString('utf8', 0, LOOKED_AT_BYTES);

/**
 * Whether the account has given no other answer than 404 yet, so that its address may be wrong: then a 404 says nothing of
 * whom it was asked about.
 */
export function onlyMissesYet({ answersNot404, kept, trusted }: AccountHistory): boolean {
  return answersNot404 === 0 && !kept && !trusted;
}

/** A sentence at the third of an account's first answers when all were 404; undefined otherwise. */
export function fewMissesNote({ answersNot404, misses, kept, trusted }: AccountHistory): string | undefined {
  if (answersNot404 > 0 || misses !== FEW_MISSES || kept || trusted) return undefined;
  return `So far the only answer was status 404, ${misses} times: check the account's base_url.`;
}

/** How many answers an account has given, when all were misses and no person has accepted them; undefined otherwise. */
export function onlyMisses({ answersNot404, misses }: AccountState, trusted: boolean): number | undefined {
  if (trusted || answersNot404 > 0 || misses.count === 0 || misses.kept) return undefined;
  return misses.count;
}

export function onlyMissesWords(count: number): string {
  return `only status 404 so far, ${counted(count, 'answer')}: check the account's base_url`;
}

/** For an account that found something for more than a fifth of its calls, this many misses in a row are no chance. */
const SUDDEN_MISSES = 100;
const USUAL_SHARE = 0.2;

export function suspicionOf(history: AccountHistory): Suspicion | undefined {
  const { answersNot404, misses, kept, trusted } = history;
  if (kept || trusted) return undefined;
  const { suspected = false, routeMisses = 0 } = history;
  const isOfRoute = suspected || routeMisses >= ROUTE_MISSES;
  if (answersNot404 === 0) return isOfRoute || misses >= FIRST_MISSES ? 'first' : undefined;
  return isOfRoute || (misses >= SUDDEN_MISSES && shareBefore(history) > USUAL_SHARE) ? 'sudden' : undefined;
}

function shareBefore({ answers, misses, found }: AccountHistory): number {
  return answers > misses ? found / (answers - misses) : 0;
}

export interface SuspectMisses {
  readonly suspicion: Suspicion;
  readonly fact: string;
  readonly count: number;
}

export function suspectMisses(history: AccountHistory, suspicion: Suspicion): SuspectMisses {
  const { misses: count } = history;
  if (suspicion === 'first') {
    return { suspicion, count, fact: `The first ${count} answers of this account were all status 404.` };
  }
  const share = `${Math.round(shareBefore(history) * 100)} %`;
  const fact = `The last ${counted(count, 'answer')} of this account were all status 404, but ${share} of those before them were matches.`;
  return { suspicion, count, fact };
}

/** The stop for suspect misses. Answers to changes are never taken back, so for them it offers one way to continue. */
export function missesStop({ suspicion, fact }: SuspectMisses, isOfChanges: boolean): StopError {
  const check = "Check the account's base_url";
  const stopWith = (next: string, ...answers: readonly string[]): StopError =>
    new StopError({ code: 'address', message: fact, next, answers });
  if (isOfChanges)
    return stopWith(
      `${check}; if it is right, run the same list with --accept no-match to continue.`,
      'no-match',
    );
  const first =
    suspicion === 'first'
      ? `${check} (a corrected one asks for all of them again); if it is right,`
      : `${check} and everything between here and the vendor; then`;
  const ways = `run the same list with --accept no-match to keep them as no match, or with --accept take-back to ask for them again`;
  return stopWith(`${first} ${ways}.`, 'no-match', 'take-back');
}

/** The address of an operation's requests: the account's address and the path as the dialect writes it. */
export function requestAddress(
  origin: string,
  basePath: string,
  operation: Pick<DialectOperation, 'path'>,
): string {
  return `${origin}${basePath}${operation.path}`;
}

/** Whether any operation still sends requests there. If none does, somebody has corrected the address. */
export function leadsTo(place: string, origin: string, basePath: string, { operations }: Dialect): boolean {
  const paths = Object.values(operations).map((operation) => requestAddress(origin, basePath, operation));
  return paths.includes(place);
}
