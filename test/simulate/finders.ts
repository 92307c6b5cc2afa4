/** Vendors that find addresses and titles and check addresses, side by side: each has its own address, knowledge, prices and book. */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { agreeToDialects } from '../support/agree.ts';
import { unit } from './chance.ts';
import { filesBelow } from './disk.ts';
import { FAILURES, type Failure, Jobs } from './later.ts';
import type { Answer, Question } from './network.ts';
import type { Stage } from './stage.ts';
import { type Arrival, type Charge, type Facts, type Reply, Vendor } from './vendor.ts';

/** What each of them charges for what it finds, and for a miss. The third repeats nothing under its key. */
export const FINDERS = {
  one: { 'find-email': 1, 'enrich-person': 2, 'check-email': 1, miss: 0 },
  two: { 'find-email': 2, 'enrich-person': 1, 'check-email': 1, miss: 1 },
  three: { 'find-email': 3, 'enrich-person': 2, 'check-email': 1, miss: 0 },
  four: { 'find-email': 1, 'enrich-person': 1, 'check-email': 2, miss: 1 },
} as const;
export type Name = keyof typeof FINDERS;
export const NAMES = Object.keys(FINDERS) as readonly Name[];
/** No call costs more. */
export const DEAREST = 3;
export const CONCURRENCY = 2;

export type Operation = keyof typeof PLACES;

/** Where the value stands in an answer that a step looks for. */
export const PLACES = {
  'find-email': 'email',
  'enrich-person': 'job_title',
  'check-email': 'verdict',
} as const;

export interface Asking {
  readonly name: Name;
  readonly operation: Operation;
  readonly body: string;
}

/** The words by which a vendor's book has a question. */
export const keyOf = ({ name, operation, body }: Asking): string => `/${name}/${operation} ${body}`;

export function askingIn({ path, body }: Pick<Question, 'path' | 'body'>): Asking {
  const [, name, operation] = path.split('/');
  return { name: name as Name, operation: operation as Operation, body };
}

export function askingOf(key: string): Asking {
  const end = key.indexOf(' ');
  return askingIn({ path: key.slice(0, end), body: key.slice(end + 1) });
}

const KNOWN = 0.5;
const UNTITLED = 0.15;
/** Of the addresses that they are asked to check. */
const CHECKED = 0.9;
/** An address that several vendors may find. */
const SHARED = 0.4;

/** How often several people fit. */
const SEVERAL = 0.1;
/** Of those whom they have an id of. */
const TAKEN = 0.8;
/** What is taken by an id costs that. */
const TAKING_PRICE = 3;

export const VERDICTS = ['valid', 'accept_all', 'invalid', 'unknown'] as const;

/** What takes by an id whom an earlier question has found. */
export const takenBy = (id: string): string => JSON.stringify({ id });
export const isTaking = ({ body }: Pick<Asking, 'body'>): boolean => 'id' in JSON.parse(body);

export interface Heard extends Asking {
  readonly ailment: Arrival['ailment'];
  readonly answer: string;
  /** Whether it looks for an id alone. */
  readonly isFirst: boolean;
  /** Whether it was asked for the answer to what it had accepted; `there`: and has said it. */
  readonly poll?: 'there' | 'not yet';
}

/** Where a vendor is asked for the answers to what it has accepted. */
const POLLED = '/answers/';

/** Which id a free question is about. */
export function polledIn({ method, path }: Pick<Question, 'method' | 'path'>): string | undefined {
  const id = method === 'GET' ? path.split(POLLED)[1] : undefined;
  return id && decodeURIComponent(id);
}

export class Finder extends Vendor {
  readonly #name: Name;
  readonly #stage: Stage;
  readonly #heard: (heard: Heard) => void;
  /** What it has accepted; undefined: it answers at once. */
  readonly jobs: Jobs | undefined;
  /** The questions that led to its ids; undefined: it finds whatever it is asked for at once. */
  readonly #led: Map<string, string> | undefined;

  /** @param heard a process has the whole answer. */
  constructor(name: Name, stage: Stage, { later, ids }: Ways, heard: (heard: Heard) => void) {
    super(stage.seed + NAMES.indexOf(name) + 1);
    this.#name = name;
    this.#stage = stage;
    this.#heard = heard;
    this.honoursKeys = name === 'three';
    this.chargesMisses = FINDERS[name].miss > 0;
    if (later.includes(name)) this.jobs = new Jobs(stage);
    if (ids.includes(name)) this.#led = new Map();
  }

  override answer(question: Question, nowMs: number): Answer {
    const id = polledIn(question);
    if (id !== undefined && this.jobs !== undefined) return this.#polled(this.jobs, id, nowMs);
    const answer = super.answer(question, nowMs);
    if (question.method !== 'POST') return answer;
    const ailment = this.arrivals.at(-1)?.ailment;
    const asking = askingIn(question);
    const isFirst = this.isFirst(asking);
    return { ...answer, heard: () => this.#heard({ ...asking, ailment, isFirst, answer: answer.body }) };
  }

  /** A vendor that is not well says so here, too. */
  #polled(jobs: Jobs, id: string, nowMs: number): Answer {
    const key = `${POLLED}${id}`;
    const { sold, ailment: ail, ...said } = this.reply(key, nowMs);
    const isAlike = ail === 'alike';
    const { headers, ...reply } = isAlike ? this.well(key) : said;
    const ailment = isAlike ? undefined : ail;
    this.arrivals.push({ key, atMs: nowMs, status: reply.status, ailment, idempotencyKey: undefined });
    const job = jobs.of(id);
    const isThere = jobs.isThere(id) && (ailment === undefined || ailment === 'slow');
    const poll = isThere ? 'there' : 'not yet';
    const heard = (): void => {
      if (job === undefined) return;
      const asking = askingOf(job.key);
      const hasFailed = isThere && job.failure !== undefined;
      const said = hasFailed ? 'refusing' : ailment;
      this.#heard({ ...asking, ailment: said, isFirst: this.isFirst(asking), answer: reply.body, poll });
    };
    return { ...reply, headers: { ...this.headers(nowMs), ...headers }, heard };
  }

  protected override well(key: string): Reply {
    if (this.jobs === undefined || !key.startsWith(POLLED)) return super.well(key);
    return this.jobs.said(key.slice(POLLED.length), (asked) => this.#foundFor(asked) ?? {});
  }

  /** What is accepted is charged once its answer is there. */
  protected override book(charge: Charge): void {
    const { jobs } = this;
    const { key } = charge;
    const { id } = charge.facts;
    if (jobs === undefined || id === undefined) super.book(charge);
    else
      jobs.accept(key, ({ acceptedAtMs, failure }) => {
        const facts = (failure === undefined && this.#foundFor(key)) || {};
        const credits = failure === undefined ? this.priceOf(key, facts) : this.#priceOfFailure(key, failure);
        if (credits > 0)
          super.book({ ...charge, atMs: this.#stage.trueMs, credits, facts, acceptedAtMs, id });
      });
  }

  override factsOf(key: string): Facts | undefined {
    const isAtOnce = this.jobs === undefined || isTaking(askingOf(key));
    return isAtOnce ? this.#foundFor(key) : { id: this.jobs.nextId };
  }

  /** Whether it looks for an id alone. */
  isFirst(asking: Asking): boolean {
    return this.#led !== undefined && asking.operation !== 'check-email' && !isTaking(asking);
  }

  #foundFor(key: string): Facts | undefined {
    const asking = askingOf(key);
    if (isTaking(asking)) return this.#takenBy(JSON.parse(asking.body).id);
    return this.isFirst(asking) ? this.#idsFor(key) : this.#valueFor(key);
  }

  #idsFor(key: string): Facts | undefined {
    const { seed } = this.#stage;
    if (unit(seed, 'known', key) > KNOWN) return undefined;
    const number = Math.floor(unit(seed, 'id', key) * 1e9);
    const all = unit(seed, 'several', key) < SEVERAL ? [number, number + 1] : [number];
    const ids = all.map((each) => `id-${each}`);
    for (const id of ids) this.#led?.set(id, key);
    return { people: ids.map((id) => ({ id })) };
  }

  #takenBy(id: string): Facts | undefined {
    const key = this.#led?.get(id);
    return key === undefined || unit(this.#stage.seed, 'taken', id) > TAKEN ? undefined : this.#valueFor(key);
  }

  #valueFor(key: string): Facts | undefined {
    const draw = (what: string): number => unit(this.#stage.seed, what, key);
    const { operation, body } = askingOf(key);
    const isUnknown = draw('known') > (operation === 'check-email' ? CHECKED : KNOWN);
    if (isUnknown) return undefined;
    const { first_name: first, last_name: last, email } = JSON.parse(body);
    if (operation === 'check-email') return { verdict: this.#verdictOn(email) };
    const domain = draw('shared') < SHARED ? 'all' : this.#name;
    if (operation === 'find-email') return { email: `${first}.${last}@${domain}.example`.toLowerCase() };
    const full_name = `Person ${Math.floor(draw('person') * 9999)}`;
    return draw('title') < UNTITLED ? { full_name } : { full_name, job_title: `Chief of ${this.#name}` };
  }

  /** The same by whomever it is checked. Every second address is valid. */
  #verdictOn(email: string): (typeof VERDICTS)[number] {
    const at = Math.floor(unit(this.#stage.seed, 'verdict', email) * 2 * VERDICTS.length);
    return VERDICTS[at] ?? 'valid';
  }

  #priceOfFailure(key: string, failure: Failure): number {
    return FAILURES[failure] === 'charged' ? FINDERS[this.#name][askingOf(key).operation] : 0;
  }

  override priceOf(key: string, facts: Facts): number {
    const { miss, ...prices } = FINDERS[this.#name];
    const asking = askingOf(key);
    if (Object.keys(facts).length === 0) return miss;
    return isTaking(asking) ? TAKING_PRICE : prices[asking.operation];
  }
}

// ------------------------------------------------------------------------------------------------ its accounts

export const portOf = (name: Name): string => `http://127.0.0.1:${9001 + NAMES.indexOf(name)}`;

/** The first is asked while others wait to be bought; the third and the fourth may take longer than a run waits. */
const PATIENCE = {
  one: { every: '2s', gives_up: '1m' },
  two: { every: '20s', gives_up: '5m' },
  three: { every: '1m', gives_up: '30m' },
  four: { every: '1m', gives_up: '30m' },
} as const;

const VERDICT_WORDS = Object.fromEntries(VERDICTS.map((verdict) => [verdict, verdict]));

const FAILED_RULES = Object.entries(FAILURES).map(([word, price]) => ({
  status: [200],
  body: { path: 'status', equals: word },
  means: 'refused',
  charged: price === 'charged',
}));

function dialectOf(name: Name, ways: Ways): object {
  const [isLater, isFirst] = [ways.later.includes(name), ways.ids.includes(name)];
  const path = `/${name}${POLLED}{id}`;
  const later = isLater ? { later: { id: 'id', path, ...PATIENCE[name] }, answers: FAILED_RULES } : {};
  const entry = (operation: Operation, more: object): object => {
    const { [operation]: price, miss } = FINDERS[name];
    const credits = { most: price, found: price, miss };
    const path = `/${name}/${operation}`;
    const taking = { id: 'people.0.id', path, credits: { most: TAKING_PRICE, found: TAKING_PRICE, miss } };
    const then = isFirst && operation !== 'check-email' ? { then: taking } : {};
    return { method: 'POST', path, credits, ...later, ...then, ...more };
  };
  return {
    vendor: 'provider',
    ...(name === 'three' && { idempotency: { header: 'idempotency-key', valid_for: '24h' } }),
    operations: {
      'find-email': entry('find-email', { by: ['first_name+last_name+domain'], gives: { email: 'email' } }),
      'enrich-person': entry('enrich-person', {}),
      'check-email': entry('check-email', { gives: { verdict: 'verdict' }, verdicts: VERDICT_WORDS }),
    },
  };
}

interface Ways {
  /** Those that answer later. */
  readonly later: readonly Name[];
  /** Those that find an id first. */
  readonly ids: readonly Name[];
}

interface Accounts extends Ways {
  /** Their budgets. */
  readonly perDay: Readonly<Partial<Record<Name, number>>>;
}

function accountsFile({ perDay, ...ways }: Accounts): string {
  const accounts = NAMES.map((name) => {
    const budget = perDay[name] === undefined ? {} : { budget: { per_day: perDay[name] } };
    return [
      name,
      {
        vendor: 'provider',
        base_url: portOf(name),
        key_env: 'DATA_KEY',
        dialect: dialectFile(name, ways),
        limits: { per_second: ways.later.includes(name) ? 1 : 50, concurrency: CONCURRENCY },
        ...budget,
      },
    ];
  });
  return JSON.stringify({ accounts: Object.fromEntries(accounts) });
}

const dialectFile = (name: Name, { later, ids }: Ways): string =>
  `${name}${later.includes(name) ? '-later' : ''}${ids.includes(name) ? '-ids' : ''}.yaml`;

/** The dialects, and that somebody has agreed to them, by the names of their files. */
async function agreed(): Promise<ReadonlyMap<string, string>> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'rowonce-agreed-'));
  const write = (name: string, text: string): void =>
    fs.writeFileSync(join(folder, name), text, { mode: 0o600 });
  try {
    const choices = [[], NAMES] as const;
    for (const ways of choices.flatMap((later) => choices.map((ids) => ({ later, ids })))) {
      for (const name of NAMES) write(dialectFile(name, ways), JSON.stringify(dialectOf(name, ways)));
      write('accounts.yaml', accountsFile({ perDay: {}, ...ways }));
      await agreeToDialects(folder);
    }
    fs.rmSync(join(folder, 'accounts.yaml'));
    return new Map(filesBelow(folder).map((path) => [relative(folder, path), fs.readFileSync(path, 'utf8')]));
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

const FILES = await agreed();

export function writeFinders(stage: Stage, accounts: Accounts): void {
  stage.write('config/accounts.yaml', accountsFile(accounts));
  fs.mkdirSync(stage.path('config/agreed'), { recursive: true, mode: 0o700 });
  for (const [name, content] of FILES) stage.write(`config/${name}`, content);
}
