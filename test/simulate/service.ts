/**
 * The governance service with a book of its own: projects, invites, users, mails, and every request with its time. Published are its paths,
 * its headers and its ids; what else it answers is drawn as its manner, and its mood changes from one command to the next.
 */
import fc, { type Arbitrary } from 'fast-check';
import { unit } from './chance.ts';
import type { Answer, Asked, Question } from './network.ts';

export const SERVICE = 'http://127.0.0.1:10';
export const ORGANIZATION = 'org-1';
export const SERVICE_KEY = 'team-key';

const ACTIONS = { 'role:viewer': 'viewer', 'role:editor': 'editor', admin: 'admin' } as const;
export type Role = (typeof ACTIONS)[keyof typeof ACTIONS];

// ------------------------------------------------------------------------------------------------ manner and mood

/** What is not published, and so may be any of these. */
export interface Manner {
  /** What it says of a person who is in the project at once. */
  readonly atOnce: 'code' | 'status' | 'flag' | 'user' | 'empty';
  /** What it says of a change without an id. */
  readonly done: 'object' | 'success' | 'nothing';
  /** Whether it makes a second invite, and sends a second mail, where one waits. */
  readonly invitesTwice: boolean;
}

export const manners: Arbitrary<Manner> = fc.record({
  atOnce: fc.constantFrom('code', 'status', 'flag', 'user', 'empty'),
  done: fc.constantFrom('object', 'success', 'nothing'),
  invitesTwice: fc.boolean(),
});

const KINDS = [
  'well',
  'slow',
  'losing',
  'too fast',
  'broken',
  'no right',
  'dead key',
  'gateway',
  'empty',
] as const;

/** Moods in which no one can say by the answer whether the change was made. */
const LIARS: ReadonlySet<string> = new Set(['broken', 'gateway', 'empty']);

/** How it is with it during a command. */
export interface ServiceMood {
  readonly kind: (typeof KINDS)[number];
  /** Which part of the requests meets it. */
  readonly share: number;
  /** Whether the change was made before that answer. */
  readonly hasActed: boolean;
  /** To whom it has no right: one person, one project, or everything. */
  readonly about: 'person' | 'project' | 'all';
}

export const WELL: ServiceMood = { kind: 'well', share: 1, hasActed: false, about: 'all' };

export const serviceMoods: Arbitrary<ServiceMood> = fc.record({
  kind: fc.oneof({ weight: 4, arbitrary: fc.constant('well') }, fc.constantFrom(...KINDS)),
  share: fc.constantFrom(0.2, 0.5, 1),
  hasActed: fc.boolean(),
  about: fc.constantFrom('person', 'project', 'all'),
});

export const moodWords = ({ kind, share, hasActed, about }: ServiceMood): string =>
  kind === 'well' ? '' : `the service is ${kind} (${share}${hasActed ? ', has acted' : ''}, ${about}); `;

// ------------------------------------------------------------------------------------------------ the book

interface Invite {
  readonly code: string;
  readonly project: string;
  readonly email: string;
  readonly role: Role;
}

/** How a person stands in a project. */
export interface Standing {
  readonly kind: 'invited' | 'member';
  readonly role: Role;
}

export interface Entry {
  readonly number: number;
  readonly atMs: number;
  readonly operation: string;
  readonly project: string;
  /** Whom it is about; of a project: its name. */
  readonly name: string;
  readonly role: Role | undefined;
  /** How the person stood before. */
  readonly before: Standing | undefined;
  readonly isDone: boolean;
  /** What was asked, to the letter. */
  readonly asked: string;
  readonly status: number;
  /** By the service itself, as its last word: neither a mood nor a delay. */
  readonly isPlain: boolean;
  isHeard: boolean;
}

interface Decision {
  readonly status: number;
  readonly body: string;
  /** What becomes so. */
  readonly change?: () => void;
}

interface Request {
  readonly operation: string;
  readonly project: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly user: string;
}

const OPERATIONS: readonly (readonly [RegExp, string])[] = [
  [/^\/latest\/projects\/create$/, 'create-project'],
  [/^\/latest\/auth\/invite\/create$/, 'create-invite'],
  [/^\/latest\/auth\/users\/([^/]+)\/update$/, 'update-user'],
  [/^\/latest\/auth\/invite\/delete$/, 'delete-invite'],
  [/^\/latest\/auth\/users\/([^/]+)\/delete$/, 'remove-user'],
];

/** Who accepts, once that many requests have come. */
export interface Acceptance {
  readonly email: string;
  readonly afterRequests: number;
}

const problem = (status: number, message: string): Decision => ({
  status,
  body: JSON.stringify({ message }),
});

const placeOf = (project: string, email: string): string => `${project} ${email}`;

export class Service implements Asked {
  readonly #seed: number;
  readonly #manner: Manner;
  readonly #acceptances: readonly Acceptance[];
  readonly book: Entry[] = [];
  readonly mails: Invite[] = [];
  /** By id. */
  readonly projects = new Map<string, string>();
  readonly #invites: Invite[] = [];
  readonly #members = new Map<string, Invite>();
  readonly #accepted = new Set<string>();
  readonly #organization: Set<string>;
  mood: ServiceMood = WELL;

  constructor(seed: number, manner: Manner, members: readonly string[], acceptances: readonly Acceptance[]) {
    this.#seed = seed;
    this.#manner = manner;
    this.#organization = new Set(members);
    this.#acceptances = acceptances;
  }

  // -------------------------------------------------------------------------------------------- what people see there

  standing(project: string, email: string): Standing | undefined {
    const member = this.#members.get(placeOf(project, email));
    if (member !== undefined) return { kind: 'member', role: member.role };
    const invite = this.invite(project, email);
    return invite && { kind: 'invited', role: invite.role };
  }

  invite(project: string, email: string): Invite | undefined {
    return this.#invites.findLast((each) => each.project === project && each.email === email);
  }

  /** What became of an invite. */
  fateOf(code: string): 'waits' | 'accepted' | 'deleted' {
    if (this.#invites.some((each) => each.code === code)) return 'waits';
    return this.#accepted.has(code) ? 'accepted' : 'deleted';
  }

  /** Undefined: no such user is in the project. */
  roleOf(project: string, user: string): Role | undefined {
    return this.#member(project, user)?.role;
  }

  #member(project: string, user: string): Invite | undefined {
    const members = [...this.#members.values()];
    return members.find(({ project: of, email }) => of === project && this.userId(email) === user);
  }

  /** Everybody's standing, by project and address. */
  standings(): ReadonlyMap<string, Standing> {
    const places = [...this.#invites, ...this.#members.values()];
    return new Map(
      places.map(({ project, email }) => [
        placeOf(project, email),
        this.standing(project, email) as Standing,
      ]),
    );
  }

  /** Of a person who is a member of any project. */
  userId(email: string): string {
    return `user-${Math.floor(unit(this.#seed, 'user', email) * 1e9)}`;
  }

  projectNamed(name: string): string | undefined {
    return [...this.projects].find(([, each]) => each === name)?.[0];
  }

  /** A person accepts all invites that wait. */
  accept(email: string): void {
    for (const invite of this.#invites.filter((each) => each.email === email)) this.#join(invite);
  }

  /** Somebody is in a project, by whoever runs it. */
  add(name: string, email: string, role: Role): void {
    const project = this.projectNamed(name);
    if (project !== undefined) this.#join({ code: `by-hand-${email}`, project, email, role });
  }

  #join(invite: Invite): void {
    this.#organization.add(invite.email);
    this.#accepted.add(invite.code);
    this.#members.set(placeOf(invite.project, invite.email), invite);
    this.#drop(({ project, email }) => project === invite.project && email === invite.email);
  }

  #drop(isMeant: (invite: Invite) => boolean): void {
    for (let at = this.#invites.length - 1; at >= 0; at -= 1)
      if (isMeant(this.#invites[at] as Invite)) this.#invites.splice(at, 1);
  }

  // -------------------------------------------------------------------------------------------- a request

  answer(question: Question, nowMs: number): Answer {
    const number = this.book.length + 1;
    const request = requestIn(question);
    const headers = { date: new Date(nowMs).toUTCString(), 'content-type': 'application/json' };
    if (request === undefined)
      return { status: 404, headers, body: JSON.stringify({ message: 'no such path' }) };
    const { name, role, ...decision } = this.#decide(request, number);
    const { project, operation } = request;
    const asked = `${question.headers.authorization} ${question.path} ${question.body}`;
    const times = this.book.filter((each) => each.asked === asked).length;
    const met = this.#met(`${asked} ${times}`, project, name);
    const before = this.standing(project, name);
    // What refuses in front of the service has not asked it.
    const isLie = LIARS.has(this.mood.kind) && met?.answer?.status !== 403;
    const acts = met === undefined || met.isOurs || (this.mood.hasActed && isLie);
    const isDone = acts && decision.change !== undefined;
    if (isDone) decision.change?.();
    const { status, body } = met?.answer ?? decision;
    const entry: Entry = {
      number,
      atMs: nowMs,
      operation,
      project,
      name,
      role,
      before,
      isDone,
      status,
      asked,
      isPlain: met === undefined || met.isOurs,
      isHeard: false,
    };
    this.book.push(entry);
    for (const { email, afterRequests } of this.#acceptances)
      if (afterRequests === number) this.accept(email);
    const heard = (): void => {
      entry.isHeard = true;
    };
    return { status, body, headers: { ...headers, ...met?.headers }, heard, ...met?.way };
  }

  /** What its mood does to the request. */
  #met(asked: string, project: string, name: string): Met | undefined {
    const { kind, share, about, hasActed } = this.mood;
    const whom = kind !== 'no right' || about === 'all' ? asked : about === 'person' ? name : project;
    if (kind === 'well' || unit(this.#seed, kind, whom) >= share) return undefined;
    const chance = unit(this.#seed, 'mood', asked);
    switch (kind) {
      case 'slow':
        return { isOurs: true, way: { afterMs: chance * 80_000 } };
      case 'losing':
        return { isOurs: true, way: { isEndless: true } };
      case 'too fast':
        return {
          isOurs: false,
          answer: problem(429, 'slow down'),
          headers: chance < 0.5 ? { 'retry-after': '7' } : {},
        };
      case 'broken':
        return { isOurs: false, answer: problem(500, 'something went wrong') };
      case 'no right':
        return { isOurs: false, answer: problem(403, 'no admin permission'), headers: {} };
      case 'dead key':
        return { isOurs: false, answer: problem(401, 'this key is not known') };
      case 'gateway':
        return gateway(chance);
      case 'empty':
        return { isOurs: false, answer: { status: hasActed && chance < 0.5 ? 200 : 503, body: '' } };
    }
  }

  #decide(request: Request, number: number): Decision & { readonly name: string; readonly role?: Role } {
    const { operation, project, body, user } = request;
    const role = roleIn(body);
    switch (operation) {
      case 'create-project':
        return { name: String(body.name), ...this.#create(String(body.name), number) };
      case 'create-invite': {
        const email = String(body.email).toLowerCase();
        if (role === undefined) return { name: email, ...problem(422, 'permissions are wrong') };
        return { name: email, role, ...this.#invite({ code: `invite-${number}`, project, email, role }) };
      }
      case 'delete-invite': {
        const invite = this.#invites.find(
          ({ code, project: of }) => code === body.invite_code && of === project,
        );
        if (invite === undefined) return { name: '', ...problem(404, 'no such invite') };
        return { name: invite.email, ...this.#done(() => this.#drop((each) => each === invite)) };
      }
      default: {
        const member = this.#member(project, user);
        if (member === undefined) return { name: '', ...problem(404, 'no such user') };
        const place = placeOf(project, member.email);
        if (operation === 'remove-user')
          return { name: member.email, ...this.#done(() => this.#members.delete(place)) };
        if (role === undefined) return { name: member.email, ...problem(422, 'permissions are wrong') };
        const change = this.#done(() => this.#members.set(place, { ...member, role }));
        return { name: member.email, role, ...change };
      }
    }
  }

  #create(name: string, number: number): Decision {
    const id = `p-made-${number}`;
    return {
      status: 200,
      body: JSON.stringify({ project_id: id }),
      change: () => this.projects.set(id, name),
    };
  }

  #invite(invite: Invite): Decision {
    const { project, email } = invite;
    const now = this.standing(project, email);
    if (now !== undefined && !this.#manner.invitesTwice) {
      const what = now.kind === 'member' ? 'is already a member of the project' : 'has a pending invite';
      return problem(409, `${email} ${what}`);
    }
    const isAtOnce = this.#organization.has(email);
    const atOnce = {
      code: { invite_code: invite.code },
      status: { status: 'accepted' },
      flag: { accepted: true },
      user: { accepted: true, user_id: this.userId(email) },
      empty: {},
    }[this.#manner.atOnce];
    return {
      status: 200,
      body: JSON.stringify(isAtOnce ? atOnce : { invite_code: invite.code }),
      change: () => {
        this.mails.push(invite);
        if (isAtOnce) this.#join(invite);
        else this.#invites.push(invite);
      },
    };
  }

  #done(change: () => void): Decision {
    const answers = { object: '{}', success: '{"success":true}', nothing: '' };
    return { status: 200, body: answers[this.#manner.done], change };
  }
}

interface Met {
  /** The service's own answer comes all the same, if it comes. */
  readonly isOurs: boolean;
  readonly answer?: Decision;
  readonly headers?: Readonly<Record<string, string>>;
  readonly way?: Pick<Answer, 'afterMs' | 'isEndless'>;
}

/** A page of what stands in front of the service. */
function gateway(chance: number): Met {
  const status = [502, 503, 404, 403, 504][Math.floor(chance * 5)] ?? 502;
  const body = '<html><head><title>Bad Gateway</title></head><body>nginx</body></html>';
  return { isOurs: false, answer: { status, body }, headers: { 'content-type': 'text/html' } };
}

/** Undefined: it has no such operation. Headers are published to the letter, and one operation has another form than the others. */
function requestIn({ method, path, headers, body }: Question): Request | undefined {
  if (method !== 'POST') return undefined;
  for (const [pattern, operation] of OPERATIONS) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const form = operation === 'update-user' ? /^([^ :]+):(.+)$/ : /^Bearer ([^ :]*):(.+)$/;
    const [, project = '', key] = form.exec(headers.authorization ?? '') ?? [];
    if (key !== SERVICE_KEY) throw new Error(`a request with the wrong header: ${headers.authorization}`);
    const parsed = JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>;
    return { operation, project, body: parsed, user: decodeURIComponent(found[1] ?? '') };
  }
  return undefined;
}

function roleIn({ permissions }: Readonly<Record<string, unknown>>): Role | undefined {
  const text = JSON.stringify(permissions);
  const action = Object.keys(ACTIONS).find(
    (each) => text === JSON.stringify({ items: { serviceDefault: { actions: { [each]: true } } } }),
  );
  return action === undefined ? undefined : ACTIONS[action as keyof typeof ACTIONS];
}
