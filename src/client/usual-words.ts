import { phrasesIn } from '../core/plain-text.ts';
import type { Words } from './dialect.ts';

/**
 * The words by which vendors name the result of a request, as far as most of them use the same. A phrase
 * matches in any letter case, with anything between its words. A phrase that ends with `*` also matches all
 * words that begin so.
 */

/**
 * Words for a missing right. At a provider the key is then useless; at a service one project is closed to the
 * key.
 */
export const NO_RIGHT: string[] = phrasesIn(`
      forbidden, access denied, request denied, permission denied, no permission*, insufficient permission*,
      insufficient right*, insufficient privilege*, not admin, not an admin, not authorized, not authorised`);

export const COMMON_WORDS: Words = {
  rate_limited: phrasesIn(`
      rate limit*, ratelimit*, too many requests, too many calls, too many request, too many concurrent*,
      maximum concurrent*, too many attempts, too fast, too quick*, rate exceeded, requests exceeded,
      secondly limit*, daily limit*, hourly limit*, concurren* limit*, throttl*, slow down,
      enhance your calm`),
  limit_reached: phrasesIn(`
      api limit*, request limit*, requests limit*, call limit*, calls limit*, query limit*, over query limit,
      limit exceeded, limit reached, maximum number of calls, maximum number of api calls,
      allowed number of calls`),
  limit: phrasesIn('limit, limits, limitation*, maximum, max, too many, exceed*, throttl*, requests, calls'),
  within_an_hour: phrasesIn(`
      per second, per minute, per hour, second, seconds, minute, minutes, hourly, simultaneous*, concurren*,
      an hour, hours, replenished`),
  of_a_day: phrasesIn('per day, daily, today, tomorrow, 24 hours'),
  of_a_month: phrasesIn('per month, monthly, this month, next month, 30 days'),
  credits: phrasesIn(`
      credit*, balance, quota*, usage, allowance, allotment, funds, units, searches, queries, lookups,
      record limit*, search limit*, monthly, billing*`),
  used_up: phrasesIn(`
      exhausted, depleted, used up, used all, exceed*, reached, insufficient, not enough, not sufficient,
      not have enough, not have sufficient, out of, run out, ran out, no more, no remaining, none left,
      too low`),
  credits_used_up: phrasesIn(`
      no credits, no credits left, zero credits, trial limit*, limit of your plan, limit for your plan, credits expired,
      over quota*, over plan*, buy credits, buy more credits, purchase credits, purchase additional credits,
      purchase more credits, payment required, requires payment`),
  // A key to something else does not count: `sort_key`, `next_token`, `idempotency-key`.
  key: [
    ...phrasesIn('apikey, credential*, guid, your account, api account, account id'),
    ...phrasesIn(`
      the, your, this, a, an, no, valid, invalid, missing, wrong, expired, bad, unknown, incorrect, inactive,
      revoked, provided, given, supplied, api, app, access, auth, authentication, authorization, bearer,
      security, secret, subscription, licence, license, account, service, private, client, session`).flatMap(
      (of) => ['key', 'keys', 'token', 'tokens', 'licence', 'license'].map((noun) => `${of} ${noun}`),
    ),
  ],
  no_key: phrasesIn(`
      unknown key*, key in, keys in, key at, token at, token in, missing authentication token, token type, license number, license plate,
      license type, licence number, licence type, json`),
  dead: phrasesIn(`
      invalid*, missing, wrong, expired, unable, revoked, unknown, bad, not found, not valid*, incorrect,
      inactive, not active, no longer*, disabled, suspended, blocked, required, not recogni*, not supplied,
      not provided, be provided, provide a valid, does not exist, not accessible`),
  key_dead: phrasesIn(`
      no api key, no token, invalid auth*, not authed, unauthorized, unauthorised, unauthenticated,
      not authenticated, authentication required, authentication failed, auth fail*, unable to authenticate,
      not subscribed, missing authentication`),
  project_refused: [],
  is_member: phrasesIn(`
      already member, already a member, already an active member, already the member, already members,
      already user of project, already a user of project, already a user of the project,
      already a user of this project, already in, already part of, already a part of, already assigned,
      already role, already has role, already has a role, already has the role, already has this role,
      already has that role, member already exist*`),
  is_invited: phrasesIn(`
      already pending, already invited, already been invited, already been sent an invit*,
      already has an invit*, already have an invit*, already has a pending invit*,
      already have a pending invit*, has a pending invit*, invite already exist*, invite already sent,
      invite is already pending, invite is pending, invite was already sent, invite has already been sent,
      invitation already exist*, invitation already sent, invitation is already pending,
      invitation is pending, invitation was already sent, invitation has already been sent,
      pending invite already exist*, pending invitation already exist*`),
  no_match: phrasesIn(`
      no match*, nomatch, miss, no result*, no record*, no data, no relevant data, empty data, no profile*,
      no hit*, no such, no one found, nobody found, nothing found, not found, unfound, could not be found,
      could not find, couldn't find, cannot find, can't find, did not find, didn't find, unable to find,
      not able to find, could not locate, couldn't locate, unable to locate, unable to determine,
      could not determine, could not be determined, did not match, not match any,
      does not exist, do not exist, did not exist, doesn't exist, no longer exists, not a member,
      not in the project, not in this project, unknown user, unknown invite, unknown company,
      unknown person`),
  refused: [
    ...phrasesIn(`
      error*, fail*, exception*, refused, rejected, denied, declined, not allowed, not permitted,
      not possible, not supported, not valid, was not, were not, has not been, have not been, could not,
      couldn't, cannot, can not, can't, did not, didn't, unable, unsuccessful, unsupported, invalid,
      bad request, conflict, last admin, aborted, skipped, ignored, problem*, suspended, already exist*,
      duplicate, rollback*, rolled back, reverted, still has, still have, still active, still a member`),
    // An expired invite is none of these.
    ...phrasesIn('subscription, plan, trial, licence, license').map((what) => `${what} has expired`),
    // Limits of a plan or of a text, which no waiting ends.
    ...phrasesIn(`
      seat, seats, user, users, member, members, project, projects, invite, invitation, licence, license,
      team, character, length, size, storage`).map((what) => `${what} limit*`),
  ],
  working: phrasesIn(`
      in progress, progress, already running, searching, queued, enqueued, crawl queued, processing, waiting,
      not ready, not ready yet`),
  pending: phrasesIn(`
      pending, started, running, initiated, scheduled, accepted, submitted, received, awaiting, will be,
      being, soon, shortly, later, try again, not yet, dry run, simulated, preview, user already exist*,
      member already exist*, account already exist*, person already exist*, confirm required,
      confirmation required, requires confirmation, approval required, requires approval, needs approval,
      login required, requires login`),
  done: phrasesIn(`
      no credits were, no credits have, no credits charged, no credits used, no credits consumed,
      no credits deducted, no credits spent, no error*, without error*, 0 error*, no fail*, 0 fail*, ok, okay, success, successful, successfully,
      succeeded, done, complete, completed, finished, applied, saved, removed, deleted, revoked, closed,
      deactivated, cancelled, canceled, updated, changed, modified, assigned, granted, created, invited,
      no longer a member, no longer has access, can no longer, cannot be undone, can't be undone`),
  label: phrasesIn(`
      bad request, invalid request*, invalid input*, invalid parameter*, invalid attribute*, invalid data,
      validation failed, validation error*, request validation failed, input validation failed,
      validation exception, the given data was invalid, request failed,
      one or more validation errors occurred, unprocessable entity, unprocessable content, an error occurred,
      error, errors, something went wrong, not found, forbidden, conflict, unauthorized, payment required,
      too many requests`),
};

/**
 * What an answer says of the account, its address and its servers, which no dialect words otherwise. A word
 * of one list counts with one of the next in its sentence.
 */
export const OWN_WORDS = {
  // The account has no such plan, or none any more. A limit of speed may offer a larger plan as well.
  plan: phrasesIn(`
      upgrade your plan, upgrade your account, upgrade your subscription, upgrade to, please upgrade,
      upgrade required, plan limit*, paid plan, paid plans, free plan, higher plan, trial has ended,
      trial has expired, trial ended, trial expired, trial is over, trial period, subscription required,
      no active subscription, subscription has expired, subscription has ended, subscription is inactive,
      subscription is paused, subscription expired, plan has expired`),
  route: phrasesIn('endpoint, api, api version, version, method, route, url, service, operation'),
  ended: phrasesIn(`
      deprecated, sunset*, retired, discontinued, shut down, decommissioned, no longer available,
      no longer supported, end of life`),
  // A server of the vendor's, or one that the vendor asks, has not served the request.
  temporary: phrasesIn(`
      temporar*, smtp, mail server*, remote server*, upstream, unexpected response, timed out, timeout,
      timeouts, time out, timedout`),
  gone: phrasesIn('missing authentication token'),
  none: phrasesIn('no, not any, none, nothing, nobody, zero, 0'),
  at_hand: phrasesIn('found, available, matched, matching, exists, on file'),
  // Such a sentence is about what was sent.
  of_request: phrasesIn(`
      parameter*, param, params, field*, header*, required, request, body, key, token, plan, credit*,
      limit*, provided, supplied, endpoint, route, url`),
} as const;

/** A web framework says so of any path that the vendor does not have. */
export const OF_FRAMEWORKS =
  /^(?:(?:http|error|status|code) )*404$|^(?:(?:http|error) )*(?:404 )?(?:the )?(?:requested )?(?:(?:page|resource|url) )?(?:was |could )?not (?:be )?found(?: on (?:the|this) server)?$/;
