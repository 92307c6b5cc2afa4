import { readBody } from '../../core/answer-body.ts';
import type { Clock } from '../../core/clock.ts';
import { type StopError, stop, unreachable } from '../../core/errors.ts';
import type { Listener } from '../../core/events.ts';
import {
  type KnownSubject,
  type SubjectFacts,
  subjectOfUser,
  subjectText,
  Team,
} from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { counted, foreignWords } from '../../core/plain-text.ts';
import type { Account } from '../../vendor/account/account.ts';
import { Client, type Waiter } from '../../vendor/client.ts';
import type { Dialect } from '../../vendor/dialect.ts';
import { type Asking, type Listed, readMemberList, textAt } from '../../vendor/member-list.ts';
import { freeRequestOf } from '../../vendor/request.ts';

/**
 * Who is in the projects at this moment, where a service says so. The published one does not; then a plan knows what the
 * ledger remembers, and nothing else. All that is sent here reads, costs nothing, and was named by the dialect's owner.
 */

/** Whom to ask, and who hears of it. */
export interface LookOrder {
  readonly account: Account;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly emit: Listener;
  /** Fires when nothing is to be asked any more. */
  readonly signal: AbortSignal;
  /** How long nothing may move; left out: ten minutes, because nothing is lost when a look is taken another time. */
  readonly maxPauseMs?: number | undefined;
}

const DEFAULT_MAX_PAUSE_MS = 10 * 60_000;

/** Whose key it is, as far as the service says. */
export interface OwnUser {
  readonly userId?: string;
  /** In lower case. */
  readonly email?: string;
}

/** How far a project could be looked at: who is not in a whole list is not there. */
export interface LookedAt {
  readonly project: string;
  readonly users: boolean;
  readonly invites: boolean;
}

export interface RemoteMembers {
  /** Everybody in the lists, as members or invited; sequence numbers are the ledger's, and 0 here. */
  readonly subjects: readonly KnownSubject[];
  readonly projects: readonly LookedAt[];
  readonly ownUser?: OwnUser;
}

/**
 * The team of these projects as the service tells it. A project about which it tells nothing is left out, with a note.
 * @returns undefined when the dialect names no such question, and for a sandbox account, whose vendor is not started yet.
 * @throws StopError `key`, `address` or `paused`; `account` when an answer is not what the dialect says.
 */
export async function remoteMembers(
  order: LookOrder,
  projects: readonly string[],
): Promise<RemoteMembers | undefined> {
  const { dialect, account, emit } = order;
  const asked = questionsOf(dialect);
  if (account.baseUrl === undefined || asked.length === 0) return undefined;
  const lookUps = await openLookUps(order, account.baseUrl);
  try {
    const ownUser = await ownUserIn(order, lookUps);
    const looked = [];
    for (const project of new Set(projects)) looked.push(await lookAt(order, lookUps, project));
    emit({ kind: 'note', message: noteOf(asked, looked.length) });
    return {
      subjects: looked.flatMap(({ subjects }) => subjects),
      projects: looked.map(({ at }) => at),
      ...present({ ownUser }),
    };
  } finally {
    await lookUps.client.close();
  }
}

/** Free questions before a run has a session of its own. */
type LookUps = Omit<Asking, 'project'> & { readonly client: Client };

/** One question at a time, which is slow enough to begin with where nobody knows the plan. */
async function openLookUps(order: LookOrder, baseUrl: URL): Promise<LookUps> {
  const { account, dialect, clock, emit, signal, maxPauseMs = DEFAULT_MAX_PAUSE_MS } = order;
  const client = await Client.open({
    account: { ...account, limits: { ...account.limits, concurrency: 1 } },
    ...{ dialect, baseUrl, clock },
    earlierSendsMs: [],
    pausedUntilMs: undefined,
    learnedPerSecond: undefined,
    unhurried: true,
    onPause: ({ untilMs, why, asked }) => emit({ kind: 'paused', untilMs, why, asked }),
    onLearned: () => {},
  });
  const waiter: Waiter = { signal, maxPauseMs };
  return { client, ask: (request) => client.askPatiently(waiter, request) };
}

const QUESTIONS = ['list_invites', 'list_users', 'whoami'] as const;

function questionsOf(dialect: Dialect): readonly string[] {
  return QUESTIONS.filter((name) => dialect[name] !== undefined);
}

function noteOf(asked: readonly string[], projects: number): string {
  return `The service was asked who is in ${counted(projects, 'project')} (${asked.join(', ')}); such questions alter and cost nothing.`;
}

// ------------------------------------------------------------------------------------------------ one project

interface Looked {
  readonly at: LookedAt;
  readonly subjects: readonly KnownSubject[];
}

/** Invites come first: who accepts in between is then in both lists and not in none. */
async function lookAt(order: LookOrder, lookUps: LookUps, project: string): Promise<Looked> {
  const invites = await peopleOf(order, lookUps, 'list_invites', project);
  const users = await peopleOf(order, lookUps, 'list_users', project);
  const bySubject = new Map<string, KnownSubject>();
  for (const each of invites ?? []) keep(bySubject, liveSubject(project, 'invited', each));
  for (const each of users ?? []) keep(bySubject, liveSubject(project, 'member', each));
  return {
    at: { project, users: users !== undefined, invites: invites !== undefined },
    subjects: [...bySubject.values()],
  };
}

function keep(bySubject: Map<string, KnownSubject>, live: KnownSubject | undefined): void {
  if (live !== undefined) bySubject.set(subjectText(live.subject), live);
}

/** Undefined for somebody whom nothing names. */
function liveSubject(
  project: string,
  state: 'invited' | 'member',
  { email, userId, inviteCode, role }: Listed,
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

/** Undefined when the dialect has no such list, or the service does not tell this one. */
async function peopleOf(
  { dialect, emit }: LookOrder,
  lookUps: LookUps,
  name: 'list_users' | 'list_invites',
  project: string,
): Promise<readonly Listed[] | undefined> {
  const listing = dialect[name];
  if (listing === undefined) return undefined;
  const told = await readMemberList({ ...lookUps, project }, listing);
  switch (told.kind) {
    case 'listed':
      return told.people;
    case 'refused': {
      const fact = `The service does not tell ${name} of project ${foreignWords(project)} (${told.why})`;
      emit({ kind: 'note', message: `${fact}; what the ledger remembers counts there.` });
      return undefined;
    }
    case 'unusable':
      throw notAsTheDialectSays(name, told.why, dialect);
    default:
      return unreachable(told);
  }
}

/** To go on without it would invite people a second time whom an answer did name, in its way. */
function notAsTheDialectSays(name: string, why: string, dialect: Dialect): StopError {
  const fact = `The answer to ${name} is not what the dialect ${dialect.name} says: ${why}.`;
  return stop('account', fact, `Correct ${name} in the dialect file, or take it out.`);
}

// ------------------------------------------------------------------------------------------------ whose key

/** What `whoami` says, or why it does not. */
export type WhoAmI =
  | { readonly kind: 'told'; readonly user: OwnUser }
  | { readonly kind: 'refused'; readonly why: string };

/** Whose key the account has. @returns undefined when the dialect has no `whoami`. @throws StopError as `remoteMembers`. */
export async function whoAmI(order: LookOrder): Promise<WhoAmI | undefined> {
  const { account, dialect } = order;
  if (account.baseUrl === undefined || dialect.whoami === undefined) return undefined;
  const lookUps = await openLookUps(order, account.baseUrl);
  try {
    return await askWhoAmI(dialect, dialect.whoami, lookUps);
  } finally {
    await lookUps.client.close();
  }
}

async function ownUserIn({ dialect, emit }: LookOrder, lookUps: LookUps): Promise<OwnUser | undefined> {
  if (dialect.whoami === undefined) return undefined;
  const told = await askWhoAmI(dialect, dialect.whoami, lookUps);
  if (told.kind === 'told') return told.user;
  emit({ kind: 'note', message: `The service does not tell whose key this is (${told.why}).` });
  return undefined;
}

async function askWhoAmI(
  dialect: Dialect,
  shape: NonNullable<Dialect['whoami']>,
  lookUps: LookUps,
): Promise<WhoAmI> {
  const answer = await lookUps.ask(
    freeRequestOf(dialect, lookUps.client.basePath, shape, {}, lookUps.client.values),
  );
  if (answer.kind !== 'answered') return answer;
  const body = readBody(answer.raw.body);
  const at = (path: string | undefined): string | undefined =>
    path === undefined || body.kind !== 'json' ? undefined : textAt(body.value, path);
  const [userId, email] = [at(shape.user_id), at(shape.email)?.trim().toLowerCase()];
  if (userId === undefined && email === undefined) {
    throw notAsTheDialectSays('whoami', 'it holds neither a user id nor an e-mail', dialect);
  }
  const user = present({ userId, email });
  return { kind: 'told', user };
}

// ------------------------------------------------------------------------------------------------ with the ledger

/**
 * What the ledger knows, corrected by what the service told: sequence numbers and doubts are the ledger's, how somebody
 * stands is the service's word. Pure.
 */
export function withLive(
  known: readonly KnownSubject[],
  live: RemoteMembers | undefined,
): readonly KnownSubject[] {
  if (live === undefined) return known;
  const told = new Team(live.subjects);
  const looked = new Map(live.projects.map((at) => [at.project, at]));
  const names = new Set(known.map(({ subject }) => subjectText(subject)));
  const corrected = known.map((each) => {
    const facts = factsNow(each, told, looked.get(each.subject.project ?? ''));
    return facts === undefined ? each : { ...each, facts };
  });
  return [...corrected, ...live.subjects.filter(({ subject }) => !names.has(subjectText(subject)))];
}

function factsNow(known: KnownSubject, told: Team, at: LookedAt | undefined): SubjectFacts | undefined {
  const { facts } = known;
  const now = sameIn(told, known)?.facts;
  if (now !== undefined) return { ...roleStillHeld(facts), ...now };
  return facts === undefined || at === undefined ? facts : factsOfAbsent(facts, at);
}

/** The person in the lists: by e-mail, or by what the service gave them for a name. */
function sameIn(told: Team, { subject, facts }: KnownSubject): KnownSubject | undefined {
  const { project } = subject;
  if (project === undefined) return undefined;
  const { userId = afterColon(subject.name, 'user:'), inviteCode = afterColon(subject.name, 'invite:') } =
    facts ?? {};
  return (
    told.find(subject) ??
    (userId === undefined ? undefined : told.ofUser(project, userId)) ??
    (inviteCode === undefined ? undefined : told.ofInvite(project, inviteCode))
  );
}

function afterColon(name: string, prefix: string): string | undefined {
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** A list without roles leaves the one that we gave, which an accepted invite carries on. */
function roleStillHeld(facts: SubjectFacts | undefined): Pick<SubjectFacts, 'role'> {
  const holds = facts?.state === 'invited' || facts?.state === 'member';
  return holds && facts.role !== undefined ? { role: facts.role } : {};
}

/** Of somebody who is in no list that could be read. One list alone does not say where who has left it went. */
function factsOfAbsent(facts: SubjectFacts, { users, invites }: LookedAt): SubjectFacts {
  const { state, email, userId } = facts;
  const gone: SubjectFacts = {
    state: 'gone',
    ...present({ email, userId }),
  };
  switch (state) {
    case 'member':
      return users ? gone : facts;
    case 'invited':
      if (users && invites) return gone;
      return invites ? { ...gone, state: 'unsure' } : facts;
    case 'unsure':
    case 'between':
      return users && invites ? gone : facts;
    case 'gone':
    case 'done':
      return facts;
    default:
      return unreachable(state);
  }
}
