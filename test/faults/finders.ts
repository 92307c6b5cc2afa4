import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, isMembers } from '../../src/sandbox/json.ts';
import { Knowledge } from '../../src/sandbox/provider.ts';
import { finderPaidForMisses, finderProvider, jobOf, verdictOn } from '../sandbox/finder.ts';
import { type LoggedRequest, Vendor } from './vendor.ts';

/**
 * The six vendors of a job that fills blanks, each a process with a book of its own: four finders of addresses, in the order in which
 * they are asked, one that knows people by them, and one that checks what was found. What each knows is a pure function of its seed
 * and of what it is asked.
 */

type Question = Readonly<Record<string, string>>;

interface Kind {
  readonly operation: 'find-email' | 'enrich-person' | 'check-email';
  /** The dialect of the sandbox. */
  readonly plays: 'finder' | 'paid-misses' | 'later-finder' | 'provider' | 'checker';
  readonly matchRate: number;
  /** What the vendor is asked by together. */
  readonly by?: string;
}

/** Requests of one account that may be on their way at once. */
export const CONCURRENCY = 3;

const NAMES_AND_DOMAIN = 'first_name+last_name+domain';

const KINDS = {
  anna: { operation: 'find-email', plays: 'later-finder', matchRate: 0.4, by: NAMES_AND_DOMAIN },
  bert: { operation: 'find-email', plays: 'finder', matchRate: 0.35, by: 'full_name+domain' },
  cleo: { operation: 'find-email', plays: 'paid-misses', matchRate: 0.35, by: NAMES_AND_DOMAIN },
  dana: { operation: 'find-email', plays: 'finder', matchRate: 0.5, by: 'full_name+domain' },
  egon: { operation: 'enrich-person', plays: 'provider', matchRate: 0.8 },
  fred: { operation: 'check-email', plays: 'checker', matchRate: 1 },
} as const satisfies Readonly<Record<string, Kind>>;

export type VendorName = keyof typeof KINDS;
export const VENDOR_NAMES = Object.keys(KINDS) as readonly VendorName[];
/** The verdicts with which a found address is taken. */
export const ACCEPTED = ['valid', 'accept_all'];
export const FILL_SLOTS = CONCURRENCY * VENDOR_NAMES.length;
export const FINDER_NAMES = VENDOR_NAMES.filter((name) => KINDS[name].operation === 'find-email');

/** Somebody in a list, as the cells say it. */
export interface Person {
  readonly first: string;
  readonly last: string;
  readonly domain: string;
}

/** One request, as the vendor's own log has it. */
export interface Asked extends LoggedRequest {
  readonly atMs: number;
  /** The same for the same question, also where its answer is asked for later. */
  readonly question: string;
  /** It asks for the answer to a question that the vendor had accepted. */
  readonly isPoll: boolean;
  /** Whether its answer left the vendor whole. */
  readonly isAnswered: boolean;
  /** Whether that answer says what the vendor knows. */
  readonly isSaid: boolean;
}

export interface FindersOptions {
  readonly folder: string;
  readonly seed: number;
  readonly latencyMs: number;
  readonly faults: string;
  /** As of an account's limits: what a key may ask. */
  readonly rate?: Readonly<Record<string, number>>;
}

export class FillVendor {
  readonly name: VendorName;
  readonly kind: Kind;
  readonly #options: FindersOptions;
  readonly #knowledge: Knowledge;
  #vendor: Vendor;
  #asked: { readonly bytes: number; readonly all: readonly Asked[] } = { bytes: 0, all: [] };
  #keys = 1;
  isAway = false;

  private constructor(name: VendorName, options: FindersOptions, vendor: Vendor) {
    this.name = name;
    this.kind = KINDS[name];
    this.#options = options;
    this.#vendor = vendor;
    this.#knowledge = new Knowledge(seedOf(name, options.seed), this.kind.matchRate);
  }

  static async start(name: VendorName, options: FindersOptions): Promise<FillVendor> {
    const folder = join(options.folder, name);
    mkdirSync(folder);
    return new FillVendor(name, options, await started(name, options, '0'));
  }

  /** As the accounts file has it. */
  get account(): object {
    const { rate = { per_second: 2_000 } } = this.#options;
    const limits = { ...rate, concurrency: CONCURRENCY, timeout: '5s' };
    const dialect = `${this.name}.yaml`;
    return { vendor: 'provider', base_url: this.#vendor.url, key: this.key, limits, dialect };
  }

  /** What its dialect file says. */
  get dialect(): object {
    const { by, operation, plays } = this.kind;
    if (operation === 'enrich-person')
      return { vendor: 'provider', credits_charged: { header: 'x-credits-charged' } };
    const credits = { most: 1, found: 1, ...(plays === 'paid-misses' && { miss: 1 }) };
    const method = 'POST';
    if (operation === 'check-email') {
      const verdicts = { valid: ['valid'], accept_all: ['accept_all'], invalid: ['invalid'] };
      const entry = { method, path: '/check/email', gives: { verdict: 'data.verdict' }, verdicts, credits };
      return { vendor: 'provider', operations: { [operation]: entry } };
    }
    const entry = { method, path: '/find/email', by: [by], gives: { email: 'data.email' }, credits };
    const finding = plays === 'later-finder' ? { ...entry, ...ANSWERS_LATER } : entry;
    return { vendor: 'provider', operations: { [operation]: finding } };
  }

  get key(): string {
    return `${this.name}-${this.#keys}`;
  }

  get loggedBytes(): number {
    return this.#vendor.loggedBytes;
  }

  /** Every request to it, oldest first. */
  get asked(): readonly Asked[] {
    const { loggedBytes: bytes } = this;
    if (bytes !== this.#asked.bytes)
      this.#asked = { bytes, all: this.#vendor.requests().map((each) => askedOf(each, this.kind)) };
    return this.#asked.all;
  }

  get charged(): number {
    return this.asked.reduce((sum, { credits }) => sum + credits, 0);
  }

  /** How the vendor is asked about somebody. */
  questionOf({ first, last, domain }: Person): string {
    const { by } = this.kind;
    const question: Question =
      by === NAMES_AND_DOMAIN
        ? { first_name: first, last_name: last, domain }
        : { full_name: `${first} ${last}`, domain };
    return canonicalJson(question);
  }

  /** The same question as the ledger has it. */
  questionIn(parameters: Question): string {
    return canonicalJson(parameters);
  }

  /** The cell that the vendor's answer gives; undefined: it does not know. */
  cellOf(question: string): string | undefined {
    const body = JSON.parse(question) as Question;
    if (this.kind.operation === 'enrich-person') {
      const title = this.#knowledge.person(body)?.body.job_title;
      return title === undefined ? undefined : String(title);
    }
    if (this.kind.operation === 'check-email') return verdictOn(this.#knowledge, String(body.email));
    const isPaidForMisses = this.kind.plays === 'paid-misses';
    const provider = (isPaidForMisses ? finderPaidForMisses : finderProvider)(this.#knowledge);
    const finding = provider.operations.find(({ name }) => name === 'find-email');
    const request = { sequence: 0, account: '', project: '', segment: '', body };
    const { data } = finding?.decide(request).body ?? {};
    return isMembers(data) ? String(data.email) : undefined;
  }

  revoke(): Promise<void> {
    return this.#vendor.revoke(this.key);
  }

  /** The next key of the account works. */
  mendKey(): void {
    this.#keys += 1;
  }

  /** Nothing listens at its address any more; what it had begun to answer is lost. */
  async leave(): Promise<void> {
    this.isAway = true;
    await this.#vendor.stop();
  }

  async comeBack(): Promise<void> {
    this.#vendor = await started(this.name, this.#options, new URL(this.#vendor.url).port);
    this.isAway = false;
  }

  stop(): Promise<void> {
    return this.#vendor.stop();
  }
}

const ANSWERS_LATER = {
  later: { method: 'POST', path: '/find/email/found', id: 'id', every: '100ms', gives_up: '2h' },
  answers: [{ status: [202], body: { path: 'status', equals: 'working' }, means: 'pending' }],
};

const seedOf = (name: VendorName, seed: number): number => seed * 10 + VENDOR_NAMES.indexOf(name);

function started(name: VendorName, { folder, seed, latencyMs, faults }: FindersOptions, port: string) {
  const { matchRate, plays } = KINDS[name];
  const flags = ['--seed', String(seedOf(name, seed)), '--dialect', plays, '--port', port];
  return Vendor.start(join(folder, name), { latencyMs, faults, matchRate, ownProcess: true, flags });
}

function askedOf(request: LoggedRequest, { plays }: Kind): Asked {
  const { at, body, status, fault, operation } = request;
  const isPoll = operation === 'found-email';
  const question = isPoll ? jobOf(String(body.id))?.question : body;
  const isAnswered = (status === 200 || status === 404) && (fault === null || fault === 'slow');
  const isSaid = isAnswered && (isPoll ? status === 200 : plays !== 'later-finder');
  return {
    ...request,
    atMs: Date.parse(at),
    question: canonicalJson(question ?? {}),
    isPoll,
    isAnswered,
    isSaid,
  };
}

/** Together they end with the block that opened them. */
export class FillVendors implements AsyncDisposable {
  readonly all: Readonly<Record<VendorName, FillVendor>>;

  private constructor(all: Readonly<Record<VendorName, FillVendor>>) {
    this.all = all;
  }

  static async start(options: FindersOptions): Promise<FillVendors> {
    const all = await Promise.all(
      VENDOR_NAMES.map(async (name) => [name, await FillVendor.start(name, options)] as const),
    );
    return new FillVendors(Object.fromEntries(all) as Record<VendorName, FillVendor>);
  }

  get each(): readonly FillVendor[] {
    return Object.values(this.all);
  }

  get loggedBytes(): number {
    return this.each.reduce((sum, { loggedBytes }) => sum + loggedBytes, 0);
  }

  get charged(): number {
    return this.each.reduce((sum, { charged }) => sum + charged, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.each.map((vendor) => vendor.stop()));
  }
}
