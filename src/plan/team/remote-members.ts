import type { Account } from '../../client/account/account.ts';
import { Client, type ListedPerson } from '../../client/client.ts';
import type { Dialect } from '../../client/dialect.ts';
import { readBody, textAt } from '../../core/answer-body.ts';
import type { Clock } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import {
  inviteIn,
  type KnownSubject,
  type SubjectFacts,
  subjectOfUser,
  subjectText,
  Team,
  userIn,
} from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { counted, foreignWords } from '../../core/plain-text.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';

/**
 * This file asks a service who is in its projects now. The published service cannot tell; then a plan knows
 * only what the ledger remembers. All requests here only read and cost nothing, and the author of the dialect
 * has named them.
 */

export interface LookContext {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly emit: Listener;
  /** Aborted when no further request may be sent. */
  readonly signal: AbortSignal;
  /**
   * How long a question may make no progress; left out: ten minutes, because the question can be asked later
   * without a loss.
   */
  readonly maxPauseMs?: number | undefined;
  /** The ledger that knows whether the account has ever answered. */
  readonly ledger?: Pick<LedgerReader, 'account'> | undefined;
}

const DEFAULT_MAX_PAUSE_MS = 10 * 60_000;

export interface OwnUser {
  readonly userId?: string;
  /** The e-mail address in lower case. */
  readonly email?: string;
}

/**
 * Which lists of a project the service gave in full, so that a person missing from one is surely not in it.
 */
interface LookScope {
  readonly project: string;
  readonly users: boolean;
  readonly invites: boolean;
}

export interface RemoteMembers {
  /**
   * All people in the lists, as members or invited. Only the ledger has sequence numbers, so they are 0 here.
   */
  readonly subjects: readonly KnownSubject[];
  readonly projects: readonly LookScope[];
  readonly ownUser?: OwnUser;
}

/**
 * Asks the service for the people of these projects. It emits a note for each list that the service refuses
 * to give.
 * @returns undefined when the dialect names no such question, and for a sandbox account: its vendor is not
 * started yet.
 * @throws StopError `key`, `address` or `paused`; `account` when an answer is not what the dialect says.
 */
export async function remoteMembers(
  context: LookContext,
  projects: readonly string[],
): Promise<RemoteMembers | undefined> {
  const { dialect, account, emit } = context;
  const freeRequests = FREE_REQUESTS.filter((name) => dialect[name] !== undefined);
  if (account.baseUrl === undefined || freeRequests.length === 0) return undefined;
  const lookUps = await openLookUps(context, account.baseUrl);
  try {
    const ownUser = await ownUserIn(context, lookUps);
    const looked = [];
    for (const project of new Set(projects)) looked.push(await lookAt(context, lookUps, project));
    const fact = `The service was asked who is in ${counted(looked.length, 'project')} (${freeRequests.join(', ')})`;
    emit({ kind: 'note', message: `${fact}; these requests change nothing and cost nothing.` });
    return {
      subjects: looked.flatMap(({ subjects }) => subjects),
      projects: looked.map(({ at }) => at),
      ...present({ ownUser }),
    };
  } finally {
    await lookUps.client.close();
  }
}

/** A client for free requests before a run has its session. */
type LookUps = Awaited<ReturnType<typeof openLookUps>>;

/** Opens a client that sends one request at a time, because the vendor's rate limit may be unknown. */
export async function openLookUps(context: LookContext, baseUrl: URL) {
  const { account, dialect, clock, emit, signal, maxPauseMs = DEFAULT_MAX_PAUSE_MS } = context;
  const history = await context.ledger?.account(account.identity);
  const client = await Client.open({
    account: { ...account, limits: { ...account.limits, concurrency: 1 } },
    dialect,
    baseUrl,
    clock,
    earlierSendsMs: [],
    unhurried: true,
    ...present({ hasAnswered: history?.hasAnswered }),
    onPause: ({ untilMs, why, asked }) => emit({ kind: 'paused', untilMs, why, asked }),
  });
  return { client, waiter: { signal, maxPauseMs } };
}

const FREE_REQUESTS = ['list_invites', 'list_users', 'whoami'] as const;

// ----------------------------------------------------------------------------------------------- one project

/**
 * Asks for invites first: a person who accepts an invite in between is then in both lists instead of in none.
 */
async function lookAt(context: LookContext, lookUps: LookUps, project: string) {
  const invites = await peopleOf(context, lookUps, 'list_invites', project);
  const users = await peopleOf(context, lookUps, 'list_users', project);
  const listed = [
    (invites ?? []).flatMap((each) => liveSubject(project, 'invited', each) ?? []),
    (users ?? []).flatMap((each) => liveSubject(project, 'member', each) ?? []),
  ].flat();
  const bySubject = new Map(listed.map((live) => [subjectText(live.subject), live]));
  return {
    at: { project, users: users !== undefined, invites: invites !== undefined },
    subjects: [...bySubject.values()],
  };
}

/** The entry as a subject; undefined when it has neither an e-mail address nor a user id. */
function liveSubject(
  project: string,
  state: 'invited' | 'member',
  { email, userId, inviteCode, role }: ListedPerson,
): KnownSubject | undefined {
  const name = email ?? (userId === undefined ? undefined : subjectOfUser(userId));
  if (name === undefined) return undefined;
  const facts: SubjectFacts = {
    state,
    ...present({ role, email, userId }),
    ...(state === 'member' || inviteCode === undefined ? {} : { inviteCode }),
  };
  return { subject: { project, name }, sequence: 0, facts };
}

/** The people of one list; undefined when the dialect has no such list, or the service refuses to give it. */
async function peopleOf(
  { dialect, emit }: LookContext,
  { client, waiter }: LookUps,
  name: 'list_users' | 'list_invites',
  project: string,
): Promise<readonly ListedPerson[] | undefined> {
  const listing = dialect[name];
  if (listing === undefined) return undefined;
  const memberList = await client.members(waiter, project, listing);
  switch (memberList.kind) {
    case 'listed':
      return memberList.people;
    case 'refused': {
      const fact = `The service does not give ${name} of project ${foreignWords(project)} (${memberList.why})`;
      emit({ kind: 'note', message: `${fact}; the ledger's record is used there.` });
      return undefined;
    }
    case 'unusable':
      throw notAsTheDialectSays(name, memberList.why, dialect);
  }
}

/**
 * The stop for an unreadable answer. Without it, a run could invite people again whom the answer named in
 * another form.
 */
function notAsTheDialectSays(name: string, why: string, dialect: Dialect): StopError {
  const fact = `The answer to ${name} does not match the dialect ${dialect.name}: ${why}.`;
  return stop('account', fact, `Correct ${name} in the dialect file, or remove it.`);
}

// ------------------------------------------------------------------------------------- the owner of the key

/** The result of `whoami`: the user, or the reason why the service does not name the user. */
type WhoAmI =
  /** The service names the user of the key. */
  | { readonly kind: 'told'; readonly user: OwnUser }
  /** The service does not name the user. */
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Asks the service who owns the account's key.
 * @returns undefined when the dialect has no `whoami`, and for a sandbox account.
 * @throws StopError for the same reasons as `remoteMembers`.
 */
export async function whoAmI(context: LookContext): Promise<WhoAmI | undefined> {
  const { account, dialect } = context;
  if (account.baseUrl === undefined || dialect.whoami === undefined) return undefined;
  const lookUps = await openLookUps(context, account.baseUrl);
  try {
    return await askWhoAmI(dialect, dialect.whoami, lookUps);
  } finally {
    await lookUps.client.close();
  }
}

async function ownUserIn({ dialect, emit }: LookContext, lookUps: LookUps): Promise<OwnUser | undefined> {
  if (dialect.whoami === undefined) return undefined;
  const whoAmI = await askWhoAmI(dialect, dialect.whoami, lookUps);
  if (whoAmI.kind === 'told') return whoAmI.user;
  emit({ kind: 'note', message: `The service does not name the owner of this key (${whoAmI.why}).` });
  return undefined;
}

async function askWhoAmI(
  dialect: Dialect,
  shape: NonNullable<Dialect['whoami']>,
  { client, waiter }: LookUps,
): Promise<WhoAmI> {
  const answer = await client.askPatiently(waiter, client.freeRequest(shape));
  if (answer.kind !== 'answered') return answer;
  const body = readBody(answer.raw.body);
  const at = (path: string | undefined): string | undefined =>
    path === undefined || body.kind !== 'json' ? undefined : textAt(body.value, path);
  const userId = at(shape.user_id);
  const email = at(shape.email)?.trim().toLowerCase();
  if (userId === undefined && email === undefined)
    throw notAsTheDialectSays('whoami', 'it holds neither a user id nor an e-mail', dialect);
  return { kind: 'told', user: present({ userId, email }) };
}

// ------------------------------------------------------------------------------------------- with the ledger

/**
 * Corrects the ledger's knowledge with the answers of the service: sequence numbers and doubts come from the
 * ledger, and the present state of each person comes from the service. This function is pure.
 */
export function withLive(known: readonly KnownSubject[], live: RemoteMembers): readonly KnownSubject[] {
  const liveTeam = new Team(live.subjects);
  const looked = new Map(live.projects.map((at) => [at.project, at]));
  const names = new Set(known.map(({ subject }) => subjectText(subject)));
  const corrected = known.map((each) => {
    const facts = factsNow(each, liveTeam, looked.get(each.subject.project ?? ''));
    return facts === undefined ? each : { ...each, facts };
  });
  return [...corrected, ...live.subjects.filter(({ subject }) => !names.has(subjectText(subject)))];
}

function factsNow(known: KnownSubject, liveTeam: Team, at: LookScope | undefined): SubjectFacts | undefined {
  const { facts } = known;
  const now = sameIn(liveTeam, known)?.facts;
  if (now !== undefined) return { ...roleStillHeld(facts), ...now };
  return facts === undefined || at === undefined ? facts : factsOfAbsent(facts, at);
}

/** Finds the person in the lists by e-mail, or by the user id or invite code that the service gave. */
function sameIn(liveTeam: Team, { subject, facts }: KnownSubject): KnownSubject | undefined {
  const { project } = subject;
  if (project === undefined) return undefined;
  const { userId = userIn(subject), inviteCode = inviteIn(subject) } = facts ?? {};
  return (
    liveTeam.find(subject) ??
    (userId === undefined ? undefined : liveTeam.ofUser(project, userId)) ??
    (inviteCode === undefined ? undefined : liveTeam.ofInvite(project, inviteCode))
  );
}

/**
 * The role from the ledger, for a list that shows no roles. A person keeps the role of an accepted invite.
 */
function roleStillHeld(facts: SubjectFacts | undefined): Pick<SubjectFacts, 'role'> {
  const holds = facts?.state === 'invited' || facts?.state === 'member';
  return holds && facts.role !== undefined ? { role: facts.role } : {};
}

/**
 * The facts about a person who is in none of the given lists. One list alone does not say whether a person
 * who left it is now in the other one.
 */
function factsOfAbsent(facts: SubjectFacts, { users, invites }: LookScope): SubjectFacts {
  const { state, email, userId } = facts;
  const gone: SubjectFacts = { state: 'gone', ...present({ email, userId }) };
  switch (state) {
    case 'member':
      return users ? gone : facts;
    case 'invited':
      if (users && invites) return gone;
      return invites ? { ...gone, state: 'accepted_or_deleted' } : facts;
    case 'accepted_or_deleted':
    case 'reinvite_due':
      return users && invites ? gone : facts;
    case 'gone':
    case 'done':
      return facts;
  }
}
