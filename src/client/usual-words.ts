import { phrasesIn } from '../core/plain-text.ts';
import type { Words } from './dialect.ts';

/**
 * The words by which vendors say what became of a request, as far as they are the same at most of them. A phrase stands for
 * itself in any letter case, whatever stands between its words; one that ends with `*` also for all words that begin so.
 */

/** Words of a missing right: at a provider the key is of no use then, at a service one project is closed to it. */
export const NO_RIGHT: string[] = phrasesIn(`
    forbidden, access denied, permission denied, no permission*, insufficient permission*, insufficient right*,
    insufficient privilege*, not admin, not an admin, not authorized, not authorised`);

export const COMMON_WORDS: Words = {
  rate_limited: phrasesIn(`
      rate limit*, ratelimit*, too many requests, too many calls, too many request, too many concurrent*,
      too many attempts, too fast, too quick*, rate exceeded, requests exceeded, secondly limit*, api limit*, request limit*,
      requests limit*, call limit*, calls limit*, daily limit*, hourly limit*, concurren* limit*, requests per second,
      requests per minute, requests per hour, requests per day, over query limit, query limit*, limit exceeded,
      limit reached, maximum number of calls, maximum number of api calls, throttl*, slow down, enhance your calm`),
  credits_used_up: phrasesIn(`
      insufficient credit*, insufficient api credit*, credits insufficient, credit insufficient, insufficient balance, insufficient funds, not enough credits,
      not have enough credits, no credits, no more credits, no credits left, no remaining credits, zero credits, out of credits, run out of credits, ran out of credits,
      credits used up, credits are used up, credits exhausted, credits expired, credits depleted, credit balance is too low, balance is too low,
      credit limit*, buy credits, buy more credits, purchase credits, purchase additional credits, purchase more credits,
      payment required, requires payment`),
  quota_used_up: phrasesIn(`
      quota*, over quota, usage limit*, monthly limit*, billing period, billing cycle, trial limit*, search limit*, limit of your plan,
      limit for your plan, included in your plan, your current plan, your monthly`),
  within_a_day: phrasesIn(`
      per second, per minute, per hour, per day, second, seconds, minute, minutes, hourly, daily, today, an hour, hours,
      replenished`),
  key_dead: phrasesIn(`
      invalid api key, api key is invalid, api key invalid, api key is not valid, api key not valid,
      api key not found, api key expired, api key has expired, api key is missing, api key required, missing api key,
      no api key, wrong api key, bad api key, unknown api key, revoked api key, invalid apikey, invalid key,
      invalid token, token expired, expired token, token revoked, revoked token, token invalid, invalid auth, not authed, guid entered is not recognised, invalid guid, unauthorized, unauthorised, unauthenticated, not authenticated,
      authentication required, authentication failed, invalid credential*, bad credentials, not subscribed, missing authentication`),
  project_refused: [],
  no_match: phrasesIn(`
      no match*, nomatch, no result*, no record*, no data, no relevant data, empty data, no profile*, no hit*, no such, no one found, nobody found, nothing found,
      no company found, no companies found, no person found, no person was found, no people found, no user found, no users found,
      no profile found, no contact found, no contacts found, not found, could not be found, could not find,
      cannot find, does not exist, do not exist, did not exist, doesn't exist, no longer exists, not a member,
      not in the project, not in this project, unknown user, unknown invite, unknown company, unknown person`),
  refused: [
    ...phrasesIn(`
      error*, fail*, exception*, refused, rejected, denied, declined, not allowed, not permitted, not possible,
      not supported, not valid, was not, were not, has not been, have not been, could not, couldn't, cannot, can not,
      can't, did not, didn't, unable, unsuccessful, unsupported, invalid, bad request, conflict, last admin, aborted,
      skipped, ignored, already exist*, duplicate, rollback*, rolled back, reverted, still has,
      still have, still active, still a member`),
    // An invite that has expired is none of these.
    ...phrasesIn('subscription, plan, trial, licence, license').map((what) => `${what} has expired`),
    // Limits of a plan or of a text, which no waiting ends.
    ...phrasesIn(`
      seat, seats, user, users, member, members, project, projects, invite, invitation, licence, license, team, plan,
      character, length, size, storage`).map((what) => `${what} limit*`),
  ],
  working: phrasesIn(`
      in progress, progress, searching, queued, enqueued, crawl queued, processing, waiting, not ready, not ready yet`),
  pending: phrasesIn(`
      pending, started, running, initiated, scheduled, accepted, submitted,
      received, awaiting, will be, being, soon, shortly, later, try again, not yet, dry run, simulated, preview,
      user already exist*, member already exist*, account already exist*, person already exist*, confirm required,
      confirmation required, requires confirmation, approval required, requires approval, needs approval, login required,
      requires login`),
  done: phrasesIn(`
      no error*, without error*, 0 error*, no fail*, 0 fail*, ok, okay, success, successful, successfully, succeeded,
      done, complete, completed, finished, applied, saved, removed, deleted, revoked, closed, deactivated, cancelled, canceled, updated,
      changed, modified, assigned, granted, created, invited, no longer a member, no longer has access, can no longer,
      cannot be undone, can't be undone`),
};
