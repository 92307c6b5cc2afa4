import { type StopError, stop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import type { AccountState } from '../ledger/ledger.ts';
import type { Dialect, DialectOperation } from './dialect.ts';

/**
 * Answers of status 404, one after the other without another in between. A few are unknown companies. Very many are more
 * often a wrong path, or something in front of the vendor that answers in its place: then the run stops before more rows
 * end as "no match", and a person says what they are. Who goes on has read it.
 */

/** How an account answered, kept up to date during a run. */
export interface AccountHistory {
  answers: number;
  answersNot404: number;
  found: number;
  /** In the series that is not over yet. */
  misses: number;
  /** Matches in a row of which nothing could be read. */
  unread?: number;
  /** Matches in a row that cost nothing by their own word, against what the dialect says. */
  free?: number;
  /** A person has said that the answers of this series are the vendor's. */
  kept: boolean;
  /** Those at the end of the series, in this run, whose words are about a path and not about a company. */
  routeMisses?: number;
  /** A run was stopped for the series, and nobody has said anything yet. */
  suspected?: boolean;
  /** Play money: nothing is lost by a wrong answer. */
  readonly trusted: boolean;
}

export function historyOf(
  { answers, answersNot404, found, misses }: AccountState,
  trusted: boolean,
): AccountHistory {
  const suspected = misses.place !== undefined && !misses.kept;
  return { answers, answersNot404, found, misses: misses.count, kept: misses.kept, suspected, trusted };
}

export function noteAnswer(
  history: AccountHistory,
  status: number,
  found: boolean,
  namesRoute = false,
): void {
  history.answers += 1;
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

/** `first`: the account never answered anything else. `sudden`: it often found something before. */
export type Suspicion = 'first' | 'sudden';

/** This many first answers that are all 404 mean a wrong address rather than that many unknown companies. */
const FIRST_MISSES = 20;

/** Where the first answers themselves say that there is no such path, they are believed sooner. */
const ROUTE_MISSES = 3;

/** So many first answers are worth a word. */
const FEW_MISSES = 3;

/** Words of a server that has nothing at a path. A profile's URL that is not found is none. */
const NAMES_ROUTE =
  /\b(?:no such|unknown|invalid|no) (?:path|route|endpoint)\b|\b(?:path|route|endpoint|requested url)\b[^"]{0,80}(?:not found|not exist)|\bcannot (?:get|post|put|patch|delete) \//i;

/** As much of an answer as is looked at for them. */
const LOOKED_AT_BYTES = 2_000;

/** Whether an answer is about its path and not about what was asked. */
export function namesRoute(body: Buffer): boolean {
  return NAMES_ROUTE.test(body.toString('utf8', 0, LOOKED_AT_BYTES));
}

/** A sentence at the third of an account's first answers when all were 404; undefined at any other. */
export function fewMissesNote({ answersNot404, misses, kept, trusted }: AccountHistory): string | undefined {
  if (answersNot404 > 0 || misses !== FEW_MISSES || kept || trusted) return undefined;
  return `There was nothing but status 404 so far, ${misses} times: check the account's base_url.`;
}

/** How many answers an account has given, where all were misses and nobody answers for them; undefined otherwise. */
export function onlyMisses({ answersNot404, misses }: AccountState, trusted: boolean): number | undefined {
  if (trusted || answersNot404 > 0 || misses.count === 0 || misses.kept) return undefined;
  return misses.count;
}

/** As a line of a summary and of `status` has it. */
export function onlyMissesWords(count: number): string {
  return `nothing but status 404 so far, ${counted(count, 'answer')}: check the account's base_url`;
}

/** Of an account that found something for more than a fifth of its calls, so many misses in a row are no chance. */
const SUDDEN_MISSES = 100;
const USUAL_SHARE = 0.2;

/** What the misses of the present series look like; undefined: like misses, or a person has answered for them. */
export function suspicionOf(history: AccountHistory): Suspicion | undefined {
  const { answersNot404, misses, kept, trusted } = history;
  if (kept || trusted) return undefined;
  const { suspected = false, routeMisses = 0 } = history;
  if (answersNot404 === 0) {
    return suspected || misses >= FIRST_MISSES || routeMisses >= ROUTE_MISSES ? 'first' : undefined;
  }
  return suspected || (misses >= SUDDEN_MISSES && shareBefore(history) > USUAL_SHARE) ? 'sudden' : undefined;
}

/** Which share of the answers before the series were matches. */
function shareBefore({ answers, misses, found }: AccountHistory): number {
  return answers > misses ? found / (answers - misses) : 0;
}

/** What a person is asked about. */
export interface SuspectMisses {
  readonly suspicion: Suspicion;
  /** The fact, as a sentence. */
  readonly fact: string;
  readonly count: number;
}

export function suspectMisses(history: AccountHistory, suspicion: Suspicion): SuspectMisses {
  const { misses: count } = history;
  if (suspicion === 'first') {
    return { suspicion, count, fact: `The first ${count} answers of this account were all status 404.` };
  }
  const share = `${Math.round(shareBefore(history) * 100)} %`;
  const fact = `The last ${counted(count, 'answer')} of this account were all status 404, and ${share} of those before them were matches.`;
  return { suspicion, count, fact };
}

/** What a change got as its answer is never taken back, so its run is told of one way only. */
export function missesStop({ suspicion, fact }: SuspectMisses, isOfChanges: boolean): StopError {
  const check = "Check the account's base_url";
  const agree = suspicion === 'first' ? '--yes or --accept no-match' : '--accept no-match';
  if (isOfChanges) {
    return stop('address', fact, `${check}; if it is right, run the same list with ${agree} to go on.`);
  }
  const first =
    suspicion === 'first'
      ? `${check}, a corrected one asks for all of them again; if it is right,`
      : `${check} and what stands between here and the vendor; then`;
  const ways = `run the same list with ${agree} to keep them as no match, or with --accept take-back to ask for them again`;
  return stop('address', fact, `${first} ${ways}.`);
}

/** Where the requests of an operation go: its path as the dialect writes it, below the account's address. */
export function placeOf(origin: string, basePath: string, operation: Pick<DialectOperation, 'path'>): string {
  return `${origin}${basePath}${operation.path}`;
}

/** Whether requests still go there, by whatever operation. When they do not, somebody has corrected the address. */
export function leadsTo(place: string, origin: string, basePath: string, { operations }: Dialect): boolean {
  const paths = Object.values(operations).map((operation) => placeOf(origin, basePath, operation));
  return paths.includes(place);
}
