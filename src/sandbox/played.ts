import { isDeepStrictEqual } from 'node:util';
import { mergedObjects, objectWith, valueAt } from '../core/answer-body.ts';
import { withValueAt } from '../core/answer-path.ts';
import { type VerdictWords, vendorsWord } from '../core/given.ts';
import type { PlayedName } from '../core/played-vendors.ts';
import { parametersIn, type RequestHead } from './gate.ts';
import { isMembers, type Json, type JsonMembers, jsonIn } from './json.ts';
import type { ProviderDialect } from './provider.ts';
import { type Knowledge, PERSON_IDENTIFIERS } from './provider.ts';
import { rejection, type SandboxAnswer, type SandboxDecision, tooMany } from './vendor.ts';
import type { VendorOptions } from './vendors.ts';

/**
 * A vendor that speaks a shipped dialect. Its request is read as an operation of ours with our names, goes
 * the way of any other request, and is answered in the vendor's shape.
 */

/** What a dialect says of its vendor: how it is asked, where its answers have what, and its prices. */
export interface PlayedDialect {
  readonly vendor: PlayedName;
  readonly headers: Readonly<Record<string, string>>;
  readonly operations: Readonly<Record<string, DialectEntry>>;
  readonly credits_charged?:
    | { readonly header?: string | undefined; readonly path?: string | undefined }
    | undefined;
}

interface DialectEntry {
  readonly method: string;
  readonly path: string;
  readonly by?: readonly string[] | undefined;
  readonly fields?: Readonly<Record<string, string | null>> | undefined;
  readonly body?: JsonMembers | undefined;
  readonly gives?: Readonly<Record<string, string>> | undefined;
  readonly verdicts?: VerdictWords | undefined;
  readonly credits: { readonly found?: number; readonly miss?: number | undefined };
  readonly later?: SecondEntry | undefined;
  readonly then?: (SecondEntry & { readonly credits: Readonly<Record<'most', number>> }) | undefined;
}

/** The request that follows on the first answer, by the id in it. */
interface SecondEntry {
  readonly id: string;
  readonly method?: string | undefined;
  readonly path: string;
  readonly fields?: { readonly id?: string | undefined } | undefined;
}

type PlayedOperation = DialectEntry & { readonly name: string };

/** What is in no dialect. */
interface Traits {
  /** Share of people and companies that are known, 0 to 1. */
  readonly knows: number;
  /** Share of its addresses that were left long ago. */
  readonly stale?: number;
  /** Operations that answer a miss like a find, with nothing where the values stand. */
  readonly blank?: readonly string[];
  /** A vendor that answers later says this while it works, and that beside its answer. */
  readonly works?: JsonMembers;
  readonly done?: JsonMembers;
  /** Its words for a dead key, used-up credits, a miss and too fast; left out, the status is all it says. */
  readonly words?: Readonly<Record<number, string>>;
  /** Its statuses, where they are others. */
  readonly statuses?: Readonly<Record<number, number>>;
  refusal?(word: string, status: number): JsonMembers;
}

const TRAITS: Readonly<Record<PlayedName, Traits>> = {
  hunter: {
    knows: 0.4,
    stale: 0.08,
    blank: ['find-email'],
    words: {
      401: 'authentication_failed',
      402: 'too_many_requests',
      404: 'not_found',
      429: 'too_many_requests',
    },
    statuses: { 402: 429, 429: 403 },
    refusal: (id, code) => ({ errors: [{ id, code }] }),
  },
  prospeo: {
    knows: 0.35,
    words: { 401: 'INVALID_API_KEY', 402: 'INSUFFICIENT_CREDITS', 404: 'NO_MATCH' },
    statuses: { 402: 400, 404: 400 },
    refusal: (error_code) => ({ error: true, error_code }),
  },
  pdl: {
    knows: 0.45,
    words: { 401: 'authentication_error', 402: 'payment_required', 404: 'not_found' },
    refusal: (type, status) => ({ status, error: { type } }),
  },
  leadmagic: { knows: 0.3, blank: ['find-email', 'find-phone', 'enrich-company'] },
  datagma: { knows: 0.25, blank: ['find-email', 'find-phone'] },
  fullenrich: {
    knows: 0.5,
    blank: ['find-email'],
    works: { status: 'IN_PROGRESS', cost: { credits: 0 } },
    done: { status: 'FINISHED' },
  },
  cognism: { knows: 0.4 },
};

/** How long a vendor that answers later takes. */
const WORKS_FOR_MS = 1_000;

/** What a second answer is asked for by: who asked what, and when. So a sandbox that starts anew knows it. */
interface Job {
  readonly name: string;
  readonly requestMembers: JsonMembers;
  readonly at: number;
}

const idOf = (job: Job): string => Buffer.from(JSON.stringify(job)).toString('base64url');

function jobOf(id: string): Job | undefined {
  const job = jsonIn(Buffer.from(id, 'base64url').toString());
  return isMembers(job) ? (job as unknown as Job) : undefined;
}

/** Vendors take several inputs in one field, and tell them apart by their looks. */
const LOOKS: Record<string, RegExp> = { email: /@/, profile_url: /\//, website: /\//, domain: /^\S+\.\w+$/ };

export class PlayedVendor {
  readonly #dialect: PlayedDialect;
  readonly #traits: Traits;
  /** The one with requests that say the most comes first, because several may be at one path. */
  readonly #operations: readonly PlayedOperation[];
  /** The second answers that were charged. */
  readonly #charged = new Set<string>();

  constructor(dialect: PlayedDialect) {
    this.#dialect = dialect;
    this.#traits = TRAITS[dialect.vendor];
    this.#operations = Object.entries(dialect.operations)
      .map(([name, entry]) => ({ ...entry, name }))
      .toSorted((one, other) => fixedIn(other).length - fixedIn(one).length);
  }

  /** The options of a sandbox that plays this vendor in place of the provider. */
  playing(options: VendorOptions): VendorOptions {
    const extension = { ...options.extension, provider: (knowledge: Knowledge) => this.#provider(knowledge) };
    return { matchRate: this.#traits.knows, ...options, extension };
  }

  /** The request in our own words. One that the vendor does not have leads nowhere. */
  requestOf(head: RequestHead, text = '') {
    const query = parametersIn(head.target);
    const json = head.method === 'GET' ? query : jsonIn(text);
    const sent = isMembers(json) ? json : {};
    const second = secondAsked(this.#operations, head, sent);
    if (second !== undefined)
      return { head: this.#ownHead(head, query, second.operation, SECOND), text: second.text };
    const operation = this.#operations.find((each) => isAsked(each, head, sent));
    const inputs = operation === undefined ? {} : inputsIn(operation, sent);
    return { head: this.#ownHead(head, query, operation), text: JSON.stringify(inputs) };
  }

  #ownHead(
    head: RequestHead,
    query: JsonMembers,
    operation: PlayedOperation | undefined,
    ending = '',
  ): RequestHead {
    const places = { ...this.#dialect.headers, ...parametersIn(operation?.path ?? '') };
    const [place = '', form] = Object.entries(places).find(([, each]) => /\{key/.test(String(each))) ?? [];
    const key = String(head.headers[place] ?? query[place] ?? '').slice(String(form).indexOf('{key}'));
    const headers = { ...head.headers, authorization: `Bearer ${key}` };
    return { ...head, headers, method: 'POST', target: `/${operation?.name}${ending}` };
  }

  #provider(knowledge: Knowledge): ProviderDialect {
    const shared = { vendor: 'provider', method: 'POST', authorization: ['Bearer <key>'] } as const;
    type Asked = { readonly body: JsonMembers };
    const operations = this.#operations.map((operation) => ({
      ...shared,
      name: operation.name,
      path: `/${operation.name}`,
      decide: ({ body }: Asked) =>
        secondOf(operation) === undefined
          ? this.#decide(operation, body, knowledge)
          : this.#accept(operation, body, knowledge),
    }));
    const results = this.#operations.flatMap((operation) => {
      const name = `${operation.name}${SECOND}`;
      const decide = ({ body }: Asked) => this.#result(operation, String(body.id), knowledge);
      return secondOf(operation) === undefined ? [] : [{ ...shared, name, path: `/${name}`, decide }];
    });
    return { operations: [...operations, ...results], tooMany: (_, retryAfter) => tooMany(retryAfter) };
  }

  /** The same outcome in the vendor's own words. */
  translate<Outcome extends { readonly answer: SandboxAnswer }>(outcome: Outcome): Outcome {
    const { status, body, headers = {} } = outcome.answer;
    const { words, statuses, refusal } = this.#traits;
    const word = words?.[status];
    if (word === undefined) return outcome;
    const ownStatus = statuses?.[status] ?? status;
    return { ...outcome, answer: { status: ownStatus, body: refusal?.(word, ownStatus) ?? body, headers } };
  }

  /** Refuses what it cannot be asked. Gives an id for all else, or for what it knows. */
  #accept(operation: PlayedOperation, requestMembers: JsonMembers, knowledge: Knowledge): SandboxDecision {
    const decision = this.#decide(operation, requestMembers, knowledge);
    if (decision.status === 400) return decision;
    const isKnown = operation.later !== undefined || decision.status === 200;
    const id = isKnown ? idOf({ name: operation.name, requestMembers, at: Date.now() }) : null;
    const credits = operation.later === undefined ? decision.credits : 0;
    return { status: 200, body: objectWith(secondOf(operation)?.id ?? 'id', id), credits };
  }

  /** Charged once, when it is there. */
  #result(operation: PlayedOperation, id: string, knowledge: Knowledge): SandboxDecision {
    const job = jobOf(id);
    if (job?.name !== operation.name) return rejection(404, 'There is no such job.');
    const { works = {}, done = {} } = this.#traits;
    const { later, then } = operation;
    const isWorking = later !== undefined && Date.now() - job.at < WORKS_FOR_MS;
    if (isWorking) return { status: 200, body: works, credits: 0 };
    const found = this.#decide(operation, job.requestMembers, knowledge);
    const credits = this.#charged.has(id) ? 0 : (then?.credits.most ?? found.credits);
    this.#charged.add(id);
    return { ...found, body: mergedObjects(done, found.body), credits };
  }

  #decide(
    { name, by = PERSON_IDENTIFIERS, gives, verdicts = {}, credits: price }: PlayedOperation,
    requestMembers: JsonMembers,
    knowledge: Knowledge,
  ): SandboxDecision {
    const isWhole = by.some((way) => way.split('+').every((input) => input in requestMembers));
    if (gives === undefined || !isWhole)
      return rejection(400, `The sandbox is not asked for ${name} by that.`);
    const { vendor, credits_charged: { header, path } = {} } = this.#dialect;
    const { stale = 0, blank = [] } = this.#traits;
    const known = knowledge.ofVendor(vendor, name, requestMembers, stale);
    const credits = known === undefined ? (price.miss ?? 0) : (price.found ?? 0);
    if (known === undefined && !blank.includes(name)) return { ...rejection(404, 'No match'), credits };
    const gave: Record<string, Json> = {};
    let body: JsonMembers = path === undefined ? {} : objectWith(path, credits);
    for (const [ours, at] of Object.entries(gives)) {
      const value = known?.[ours] ?? null;
      gave[ours] = value;
      const vendorsValue = ours === 'verdict' ? (vendorsWord(String(value), verdicts) ?? null) : value;
      body = withValueAt(body, at, vendorsValue) as JsonMembers;
    }
    const headers = header === undefined ? {} : { [header]: String(credits) };
    return { status: 200, headers, body, credits, gave };
  }
}

/** What each request of the operation says. */
const fixedIn = ({ path, body = {} }: PlayedOperation) =>
  Object.entries({ ...parametersIn(path), ...body }).filter(([, value]) => value !== '{key}');

const SECOND = '-second';

const secondOf = ({ later, then }: PlayedOperation): SecondEntry | undefined => later ?? then;

/** The operation whose second answer is asked for, and by which id. */
function secondAsked(
  operations: readonly PlayedOperation[],
  { method, target }: RequestHead,
  sent: JsonMembers,
) {
  for (const operation of operations) {
    const second = secondOf(operation);
    if (second === undefined) continue;
    const {
      method: ownMethod = operation.later === undefined ? operation.method : 'GET',
      path,
      fields,
    } = second;
    const [before = '', after] = path.split('{id}');
    if (method !== ownMethod || !target.startsWith(before)) continue;
    const id =
      after === undefined
        ? valueAt(sent, fields?.id ?? 'id')
        : target.slice(before.length, target.length - after.length);
    const name = jobOf(String(id))?.name;
    const askedOperation = operations.find((each) => each.name === name) ?? operation;
    return { operation: askedOperation, text: JSON.stringify({ id: id ?? '' }) };
  }
  return undefined;
}

const isAsked = (operation: PlayedOperation, { method, target }: RequestHead, sent: JsonMembers): boolean =>
  operation.method === method &&
  operation.path.split('?', 1)[0] === target.split('?', 1)[0] &&
  fixedIn(operation).every(([at, value]) => isDeepStrictEqual(valueAt(sent, at), value));

/** The inputs of a request by our names for them. */
function inputsIn({ by = PERSON_IDENTIFIERS, fields = {} }: PlayedOperation, sent: JsonMembers): JsonMembers {
  const inputs: Record<string, Json> = {};
  const read = new Set<string>();
  for (const input of by.flatMap((way) => way.split('+'))) {
    const field = fields[input] ?? input;
    const value = fields[input] === null || read.has(field) ? undefined : valueAt(sent, field);
    if (typeof value !== 'string' || LOOKS[input]?.test(value) === false) continue;
    inputs[input] = value;
    read.add(field);
  }
  return inputs;
}
