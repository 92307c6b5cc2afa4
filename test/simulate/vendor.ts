/**
 * A vendor of data with a book of its own. What it answers follows from the seed and from what it was asked, so the same question has the
 * same facts, and from its mood.
 */
import { unit } from './chance.ts';
import type { Ailment, LimitForm, Mood } from './moods.ts';
import { well } from './moods.ts';
import type { Answer, Question } from './network.ts';

export { givesTimes, type Mood, moods, moodWords, oddMoods, well } from './moods.ts';

export interface Charge {
  /** What was asked. */
  readonly key: string;
  readonly atMs: number;
  readonly credits: number;
  /** What was sold. */
  readonly facts: Facts;
  readonly idempotencyKey: string | undefined;
  /** When it was asked for, where that was answered later. */
  readonly acceptedAtMs?: number;
  /** Under which id, then. */
  readonly id?: unknown;
}

/** A request that arrived. */
export interface Arrival {
  readonly key: string;
  readonly atMs: number;
  readonly status: number;
  /** Where it was not answered as it is when the vendor is well. */
  readonly ailment: Ailment['kind'] | 'limit' | undefined;
  readonly idempotencyKey: string | undefined;
}

export type Facts = Readonly<Record<string, unknown>>;

/** What a request is answered with, and what it is charged for. */
export interface Reply extends Omit<Answer, 'headers'> {
  readonly headers?: Answer['headers'];
  readonly sold?: Facts;
  readonly ailment?: Arrival['ailment'];
}

const json = (status: number, body: object): Reply => ({ status, body: JSON.stringify(body) });

/** Of those who are asked about, the vendor knows so many. */
const KNOWN = 0.6;

/** How long the vendor remembers an idempotency key, as the dialect `keyed` says. */
const KEY_VALID_MS = 24 * 3_600_000;

/** Below it stands what was bought under an idempotency key. */
const BOUGHT = '/bought/';

/** What says something of a new question only. */
const OF_NEW_ONES: ReadonlySet<Arrival['ailment']> = new Set([
  undefined,
  'alike',
  'refusing',
  'missing',
] as const);

export const ALIKE_ID = 'id-of-all';

/** What it sells to whom it is alike to everybody. */
const ALIKE: Facts = {
  employee_count: 42,
  full_name: 'Jo Doe',
  job_title: 'Chief',
  email: 'jo@doe.example.com',
  verdict: 'valid',
  people: [{ id: ALIKE_ID }],
  results: [{ full_name: 'Jo Doe' }],
};

/** What it says of whom it does not know. */
const NOTHING: Facts = {};

export const isMiss = ({ facts }: Charge): boolean => facts === NOTHING;

export class Vendor {
  readonly #seed: number;
  /** What was charged, in the order of time. */
  readonly charges: Charge[] = [];
  readonly arrivals: Arrival[] = [];
  mood: Mood = well;
  /** It acts and charges once for all requests with the same idempotency key. */
  honoursKeys = false;
  /** It charges for whom it does not know, too. */
  chargesMisses = false;
  /** How often each question came, by what each is drawn anew. */
  readonly #times = new Map<string, number>();
  readonly #window = { beganMs: 0, requests: 0 };
  readonly #byKey = new Map<string, { readonly atMs: number; readonly sold: Facts }>();
  /** What was sold for the request that is repeated now. */
  #repeated: Facts | undefined;

  constructor(seed: number) {
    this.#seed = seed;
  }

  answer(question: Question, nowMs: number): Answer {
    const { method, path, body } = question;
    const headers = this.headers(nowMs);
    if (method === 'HEAD') return { status: 404, headers, body: '' };
    if (method === 'GET') return { headers, ...this.#free(path) };
    const key = `${path} ${body}`;
    const idempotencyKey = question.headers['idempotency-key'];
    const { sold, ailment, ...reply } = this.#once(key, idempotencyKey, nowMs);
    const { status } = reply;
    this.arrivals.push({ key, atMs: nowMs, status, ailment, idempotencyKey });
    if (sold !== undefined)
      this.book({ key, atMs: nowMs, credits: this.priceOf(key, sold), facts: sold, idempotencyKey });
    return { ...reply, headers: { ...headers, ...reply.headers } };
  }

  protected book(charge: Charge): void {
    this.charges.push(charge);
  }

  /** What a question is worth to whom the vendor knows; undefined: it knows no one. */
  factsOf(key: string): Facts | undefined {
    const draw = (what: string): number => unit(this.#seed, what, key);
    if (draw('known') > KNOWN) return undefined;
    const number = 1 + Math.floor(draw('fact') * 9999);
    if (key.startsWith('/enrich/company')) return { employee_count: number };
    if (key.startsWith('/enrich/person')) return { full_name: `Person ${number}` };
    const people = Array.from({ length: 1 + Math.floor(draw('people') * 4) }, (_, at) => ({
      full_name: `Person ${number + at}`,
    }));
    return { results: people };
  }

  priceOf(key: string, facts: Facts): number {
    if (facts === NOTHING) return 1;
    if (key.startsWith('/enrich/person ')) return 2;
    return key.startsWith('/search/people ') ? (facts.results as readonly object[]).length : 1;
  }

  protected headers(nowMs: number): Answer['headers'] {
    const { mood } = this;
    const plain = { 'content-type': 'application/json' };
    if (mood.kind !== 'calendar') return { ...plain, date: new Date(nowMs).toUTCString() };
    const age = mood.ageSeconds === 0 ? {} : { age: `${mood.ageSeconds}` };
    if (mood.offMs === undefined) return { ...plain, ...age };
    const saidMs = nowMs + mood.offMs - mood.ageSeconds * 1000;
    return { ...plain, ...age, date: new Date(saidMs).toUTCString() };
  }

  /** Free questions: what was charged, all in all or for one question, and what is left. */
  #free(path: string): Reply {
    const { pathname } = new URL(path, 'http://vendor');
    const used = this.charges.reduce((sum, { credits }) => sum + credits, 0);
    if (pathname === '/usage') return json(200, { used });
    if (pathname === '/balance') return json(200, { left: 1_000_000 - used });
    if (!pathname.startsWith(BOUGHT)) return json(404, { error: 'no such path' });
    const asked = decodeURIComponent(pathname.slice(BOUGHT.length));
    const bought = this.charges.find(({ idempotencyKey }) => idempotencyKey === asked);
    return json(200, bought === undefined ? { bought: false } : { bought: true, answer: bought.facts });
  }

  /** A repeat under its key is answered as the first was, whatever the vendor makes of a new one, unless something stands before that. */
  #once(key: string, idempotencyKey: string | undefined, nowMs: number): Reply {
    const own = this.honoursKeys ? idempotencyKey : undefined;
    const before = this.#byKey.get(own ?? '');
    const isRepeat = before !== undefined && nowMs - before.atMs < KEY_VALID_MS;
    this.#repeated = isRepeat ? before.sold : undefined;
    const { sold, ...reply } = this.reply(key, nowMs);
    if (isRepeat) return OF_NEW_ONES.has(reply.ailment) ? json(200, before.sold) : reply;
    if (own === undefined || sold === undefined) return { ...reply, ...(sold && { sold }) };
    this.#byKey.set(own, { atMs: nowMs, sold });
    return { ...reply, sold };
  }

  protected reply(key: string, nowMs: number): Reply {
    const { mood } = this;
    if (mood.kind === 'limit') return this.#limited(mood, key, nowMs);
    if (mood.kind !== 'ailing') return this.well(key);
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (unit(this.#seed, 'ails', key, times) >= mood.chance) return this.well(key);
    const at = Math.floor(unit(this.#seed, 'of what', key, times) * mood.ailments.length);
    const ailment = mood.ailments[at] as Ailment;
    return { ...this.#ill(ailment, key, nowMs), ailment: ailment.kind };
  }

  protected well(key: string): Reply {
    const facts = this.#repeated ?? this.factsOf(key);
    if (facts !== undefined) return { ...json(200, facts), sold: facts };
    if (key.startsWith('/search')) return json(200, { results: [] });
    return this.chargesMisses ? { ...json(200, NOTHING), sold: NOTHING } : json(200, NOTHING);
  }

  #limited(mood: Extract<Mood, { kind: 'limit' }>, key: string, nowMs: number): Reply {
    const { form, requests, windowMs } = mood;
    const window = this.#window;
    if (nowMs - window.beganMs >= windowMs) Object.assign(window, { beganMs: nowMs, requests: 0 });
    window.requests += 1;
    if (window.requests <= requests) return this.well(key);
    return { ...tooFast(form, window.beganMs + windowMs - nowMs, nowMs), ailment: 'limit' };
  }

  #ill(ailment: Ailment, key: string, nowMs: number): Reply {
    const wellReply = this.well(key);
    const { sold } = wellReply;
    switch (ailment.kind) {
      case 'slow':
        return { ...wellReply, afterMs: ailment.ms };
      case 'limited':
        return tooFast(ailment.form, ailment.waitMs, nowMs);
      case 'failing': {
        const failed = json(ailment.status, { error: 'internal error' });
        return ailment.isCharged && sold !== undefined ? { ...failed, sold } : failed;
      }
      case 'webhook': {
        const accepted = json(201, { requestId: `r-${unit(this.#seed, 'webhook', key)}` });
        return ailment.isCharged && sold !== undefined ? { ...accepted, sold } : accepted;
      }
      case 'alike':
        return { ...json(200, ALIKE), sold: ALIKE };
      case 'endless':
        return { ...wellReply, isEndless: true };
      case 'empty':
        return { ...wellReply, body: '' };
      case 'half':
        return { ...wellReply, body: wellReply.body.slice(0, Math.max(1, wellReply.body.length / 2)) };
      case 'prose':
        return { ...wellReply, body: 'Hello, this is our new page.' };
      default:
        return freeNo(ailment);
    }
  }
}

/** What costs nothing and gives nothing. */
function freeNo(
  ailment: Exclude<Ailment, { kind: 'slow' | 'limited' | 'failing' | 'webhook' | 'alike' }>,
): Reply {
  switch (ailment.kind) {
    case 'gateway':
      return html(ailment.status);
    case 'refusing':
      return json(ailment.status, { message: 'This is not in your plan' });
    case 'dead-key':
      return json(401, { message: 'invalid api key' });
    case 'no-credits':
      return json(402, { message: 'no credits left' });
    case 'moved':
      return { status: 308, headers: { location: 'https://elsewhere.example.com/' }, body: '' };
    case 'not-yet':
      return json(202, { message: 'we look for it' });
    default:
      return json(404, { error: 'not here' });
  }
}

const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: `<html><body><h1>${status} of a gateway</h1></body></html>`,
});

const TOO_FAST = { message: 'Too many requests' };

function tooFast(form: LimitForm, waitMs: number, nowMs: number): Reply {
  const waitSeconds = Math.ceil(waitMs / 1000);
  switch (form) {
    case 'seconds':
      return { ...json(429, TOO_FAST), headers: { 'retry-after': `${waitSeconds}` } };
    case 'date':
      return {
        ...json(429, TOO_FAST),
        headers: { 'retry-after': new Date(nowMs + waitSeconds * 1000).toUTCString() },
      };
    case 'headers':
      return {
        ...json(429, TOO_FAST),
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': `${waitSeconds}` },
      };
    case 'bare':
      return { status: 429, body: 'busy' };
    default:
      return json(Number(form.slice('words-'.length)), TOO_FAST);
  }
}
