import { hash } from 'node:crypto';
import { basename } from 'node:path';
import {
  type AnswerPlace,
  bytesOf,
  mergedObjects,
  objectWith,
  readBody,
  valueAt,
  WHOLE_BODY,
} from '../core/answer-body.ts';
import { canonicalJson } from '../core/call-key.ts';
import { describedCall, makesProject } from '../core/described.ts';
import { asStop, invariant, type StopError, stop } from '../core/errors.ts';
import { DIALECTS, loadMember, shippedDialect } from '../core/families.ts';
import { isTaking } from '../core/given.ts';
import { isObject, present } from '../core/objects.ts';
import type { Call, JsonObject, JsonValue, Operation, Vendor } from '../core/operation.ts';
import { foreignWords, wordsIn } from '../core/plain-text.ts';
import { stepNames } from '../core/steps.ts';
import { keysIn } from '../core/vendor-path.ts';
import type { Reply } from '../ledger/ledger.ts';
import { parseDurationMs } from '../lib/duration.ts';
import type { SchemaProblem } from '../lib/yaml/schema-problem.ts';
import type { Account } from './account/account.ts';
import type { AgreementQuestion } from './account/agreements.ts';
import type {
  Dialect,
  DialectOperation,
  Differences,
  Envelope,
  ReadBack,
  Taking,
} from './dialect/dialect-schema.ts';
import type { OwnDialect } from './dialect/file.ts';
import { isSlot } from './slots.ts';

export type * from './dialect/dialect-schema.ts';
export type { OwnDialect } from './dialect/file.ts';

/**
 * The dialect of an account, and what is read from it: the entry of an operation, and the places of values in
 * answers. `dialect/dialect-schema.ts` says what a dialect may contain. That file loads the code that checks
 * a dialect, so only its types are used here.
 */

/**
 * A dialect of the caller's own, for `dialects` of a call. It replaces the account's dialect file, and is
 * checked like that file before anything is sent. No user is asked to agree to its requests, because the
 * program itself states them.
 */
export function defineDialect(dialect: OwnDialect): OwnDialect {
  return dialect;
}

/**
 * The dialect that an account speaks: the built-in one of its vendor, with the changes of its file, and
 * through a service when the account is connected by one.
 * @param ownDialects dialects that a program has passed in place of files.
 * @throws StopError `account` when a dialect file is wrong or asks for something that the account does not
 *   have.
 */
export async function dialectOf(account: Account, ownDialects: readonly OwnDialect[] = []): Promise<Dialect> {
  if (new Set(ownDialects.map(({ vendor }) => vendor)).size < ownDialects.length)
    throw stop('account', 'Two dialects are for the same vendor.', 'Pass one of them.');
  return asSpokenBy(account, await spokenBy(account, ownDialects), ownDialects);
}

/** A dialect that is a value. @throws StopError `account` with the entry that is wrong. */
export async function ownDialect(value: OwnDialect): Promise<Dialect> {
  return (await import('./dialect/file.ts')).dialectOfValue(value, await builtInDialect(value.vendor));
}

export async function ownRequestProblem(request: unknown): Promise<SchemaProblem | undefined> {
  return (await import('./dialect/file.ts')).requestProblem(request, await builtInDialect('provider'));
}

export function withRequestOf(
  dialect: Dialect,
  { name, request }: Pick<Operation, 'name' | 'request'>,
): Dialect {
  if (request === undefined) return dialect;
  // `operationFrom` has checked it as an entry.
  const entry = request as unknown as DialectOperation;
  return { ...dialect, operations: { ...dialect.operations, [name]: entry } };
}

/** The dialect with the places that a job names in the answers to its own request. */
export function withGives(dialect: Dialect, gives: DialectOperation['gives']): Dialect {
  if (gives === undefined) return dialect;
  const operations = Object.entries(dialect.operations).map(([name, entry]) => {
    return [name, describedCall(name).gives === 'any' ? { ...entry, gives } : entry] as const;
  });
  return { ...dialect, operations: Object.fromEntries(operations) };
}

/**
 * The part of a dialect that travels with a batch. The request of an operation that is not built in travels
 * with the operation.
 */
export async function dialectContent(dialect: Dialect): Promise<JsonObject> {
  return (await import('./dialect/file.ts')).carriedDialect(dialect);
}

/**
 * The dialect that came with a batch, as this host's account speaks it.
 * @throws StopError `store_version` when it is not understood, `account` when it asks for something that
 *   the account does not have.
 */
export async function dialectOfContent(content: JsonObject, account: Account): Promise<Dialect> {
  return asSpokenBy(account, (await import('./dialect/file.ts')).dialectCarried(content, account));
}

/**
 * The dialect with its differences from the one that the account would speak without files of other people.
 */
async function asSpokenBy(
  account: Account,
  dialect: Dialect,
  ownDialects: readonly OwnDialect[] = [],
): Promise<Dialect> {
  requireFillable(dialect, account);
  const differences = differencesOf(dialect, await spokenBy(account, ownDialects, 'without foreign'));
  return { ...dialect, ...present({ differences }) };
}

async function spokenBy(
  { vendor, dialectPath, sandbox, via }: Pick<Account, 'vendor' | 'dialectPath' | 'sandbox' | 'via'>,
  ownDialects: readonly OwnDialect[],
  files: 'all' | 'without foreign' = 'all',
): Promise<Dialect> {
  const spoken = async (by: Vendor, path: string | undefined): Promise<Dialect> => {
    const builtIn = await builtInDialect(by);
    const passed = ownDialects.find((each) => each.vendor === by);
    // Most accounts name no file, and loading the code that checks one takes a good part of a start.
    if (passed !== undefined) return (await import('./dialect/file.ts')).dialectOfValue(passed, builtIn);
    // A shipped dialect is the program's own, so no one is asked to agree to it.
    const isShipped = path !== undefined && shippedDialect(basename(path, '.yaml')) === path;
    if (path === undefined || (!isShipped && files === 'without foreign')) return builtIn;
    if (isShipped) return shippedAt(path, builtIn);
    return (await import('./dialect/file.ts')).readDialectFile(path, builtIn);
  };
  const direct = await spoken(vendor, dialectPath);
  // The sandbox says in a header how much it has charged. No vendor publishes one, so it is not built in.
  const ofSandbox = sandbox &&
    dialectPath === undefined && { credits_charged: { header: 'x-credits-charged' } };
  const stating = { ...direct, ...ofSandbox };
  if (via === undefined) return stating;
  return throughService(stating, via, await spoken('service', via.dialectPath));
}

/**
 * A process reads each once, because `serve` needs all of them for every list of the accounts. They come with
 * the program, and change only with it.
 */
const shipped = new Map<string, Promise<Dialect>>();

function shippedAt(path: string, builtIn: Dialect): Promise<Dialect> {
  const place = `${builtIn.vendor} ${path}`;
  const dialect =
    shipped.get(place) ?? import('./dialect/file.ts').then((file) => file.readShippedDialect(path, builtIn));
  shipped.set(place, dialect);
  return dialect;
}

/** The slots that an account with this dialect has to fill. @throws StopError `account` for a wrong file. */
export const slotsAt = async (account: Pick<Account, 'vendor' | 'dialectPath'>): Promise<readonly string[]> =>
  slotsOf(await spokenBy({ ...account, sandbox: false }, []));

/** The most that an answer without a match costs, by the dialect: `chargedCredits` books it. */
export function noMatchPrice(dialect: Dialect, { credits, answers = [] }: DialectOperation): number {
  const { found, miss } = credits;
  const charged = [...answers, ...dialect.answers].filter((rule) => rule.charged === true);
  const byRule = charged.flatMap(({ means }) =>
    means === 'found' ? [] : means === 'no_match' ? (miss ?? found) : found,
  );
  return Math.max(miss ?? 0, ...byRule);
}

export const dialectProblem = (account: Account): Promise<StopError | undefined> =>
  dialectOf(account).then(() => undefined, asStop);

export async function builtInDialect(vendor: Vendor): Promise<Dialect> {
  const builtIn = await loadMember<Dialect>(DIALECTS, vendor);
  invariant(builtIn !== undefined, `there is no dialect for a ${vendor}`);
  return builtIn;
}

/**
 * The envelope carries no headers to the vendor. So an idempotency key does not reach the vendor either, and
 * no lost call can be read back by one.
 */
function throughService(
  { idempotency: _, ...ownDialect }: Dialect,
  { connectedAccount }: NonNullable<Account['via']>,
  { api_call: envelope }: Dialect,
): Dialect {
  invariant(envelope !== undefined, 'the dialect of the service has no api_call');
  const operations = Object.entries(ownDialect.operations).map(([name, operation]) => {
    const { read_back: readBack, ...others } = operation;
    return [name, readBack !== undefined && asksByKey(readBack) ? others : operation] as const;
  });
  return {
    ...ownDialect,
    operations: Object.fromEntries(operations),
    through: { envelope, connectedAccount },
  };
}

/** Whether a read-back names the lost call by its idempotency key. */
export function asksByKey({ path, headers = {} }: Pick<ReadBack, 'path' | 'headers'>): boolean {
  return [path, ...Object.values(headers)].some((each) => each.includes('{idempotency_key}'));
}

/**
 * A change of the service names its project. Every other value that a request needs must be in the account.
 */
function requireFillable(dialect: Dialect, account: Account): void {
  const { name, organizationId, projectId, vendor } = account;
  const { headers, usage, balance, whoami, list_users, list_invites, through } = dialect;
  const isOutside = ([name]: readonly [string, unknown]): boolean => makesProject(name);
  const operations = Object.entries(dialect.operations);
  const creations = operations.filter(isOutside).map(([, operation]) => operation);
  const requests = operations
    .filter((each) => !isOutside(each))
    .flatMap(([, { later, then, ...firstRequest }]) => [firstRequest, later, then]);
  const ofAccount = [...creations, usage, balance, whoami];
  const textsOf = (shapes: readonly (Pick<ReadBack, 'headers'> | undefined)[]): string =>
    shapes.map((each) => each && JSON.stringify({ ...headers, ...each.headers })).join();
  const ofAll =
    through === undefined
      ? textsOf([...ofAccount, ...requests, list_users, list_invites])
      : JSON.stringify(through.envelope.headers);
  const ofProject = through === undefined && vendor === 'service' ? textsOf(ofAccount) : ofAll;
  const lacks = [
    organizationId === undefined && ofAll.includes('{organization_id}') && 'organization_id',
    projectId === undefined && ofProject.includes('{project_id}') && 'project_id',
  ].find(Boolean);
  if (lacks) {
    const next =
      vendor === 'service' || through !== undefined
        ? `Add ${lacks} to the service account.`
        : `Write the header without {${lacks}} in the dialect file.`;
    throw stop(
      'account',
      `The dialect ${dialect.name} has a header with {${lacks}}, and the account ${name} has none.`,
      next,
    );
  }
  requireSecrets(dialect, account);
  const hasKey = requests.some((each) => each && keysIn([each.path, each.body ?? null]) > 0);
  if (through === undefined || !hasKey) return;
  const fact =
    `The dialect ${dialect.name} has a request with {key}, ` +
    `and the account ${name} asks through a service, which has the key.`;
  throw stop('account', fact, 'Write the request without {key} in the dialect file.');
}

/** The slots of all requests that a dialect makes; through a service those of its step. */
export function slotsOf(dialect: Dialect): readonly string[] {
  const { headers, auth, operations, usage, balance, whoami, list_users, list_invites, through } = dialect;
  const requests = Object.values(operations).flatMap(({ later, then, read_back, ...firstRequest }) => [
    firstRequest,
    later,
    then,
    read_back,
  ]);
  const others = [usage, balance, whoami, list_users, list_invites];
  const direct = [headers, ...[...requests, ...others].map((each) => each?.headers ?? {})];
  const sent = through === undefined ? direct : [through.envelope.headers];
  const named = sent.flatMap(Object.values).flatMap((each) => String(each).match(/(?<=\{)\w+(?=\})/g) ?? []);
  const ofAuth = through === undefined ? (auth?.basic ?? []) : [];
  return [...new Set([...ofAuth, ...named])].filter(isSlot);
}

function requireSecrets(dialect: Dialect, { name, secrets = {}, via }: Account): void {
  const slot = slotsOf(dialect).find((each) => !Object.hasOwn(secrets, each));
  if (slot === undefined) return;
  const whose = via === undefined ? name : via.service;
  throw stop(
    'account',
    `The dialect ${dialect.name} has a slot {${slot}}, and the account ${whose} has no such secret.`,
    `Add secrets: { ${slot}: { env: NAME } } to the account, with the variable that holds it.`,
  );
}

/** Increase this when the program itself changes how it judges replies. */
const JUDGED_SINCE = 7;

/**
 * 28 bits, which the ledger keeps in four bytes beside every answer. A mark is only compared with a handful
 * of others.
 */
const HEX_DIGITS = 7;

/** Entries of an operation that shape its requests alone. */
const OF_REQUESTS: ReadonlySet<string> = new Set(
  wordsIn('method path headers fields body by timeout read_back'),
);

const MARKS = new WeakMap<Dialect, number>();

/**
 * Identifies a dialect in the ledger: a hash over everything that judges answers, without what shapes
 * requests.
 */
export function dialectMark(dialect: Dialect): number {
  const known = MARKS.get(dialect);
  if (known !== undefined) return known;
  const { answers, words, fields_at, credits_charged, operations, through, permissions } = dialect;
  const judged = Object.entries(operations).map(([name, operation]) => {
    const judging = Object.entries(operation).filter(([entry]) => !OF_REQUESTS.has(entry));
    // Whether a price is published has no effect on the judging of an answer.
    const credits = { ...operation.credits, exact: undefined };
    const { later, then } = operation;
    const { id, first, answers: ofTaking, credits: price } = then ?? {};
    const taken = then && { id, first, answers: ofTaking, credits: { ...price, exact: undefined } };
    return [name, { ...Object.fromEntries(judging), credits, later: later?.id, then: taken }] as const;
  });
  const { answer, answers: outer } = through?.envelope ?? {};
  const judgingEntries = [answers, words, fields_at, credits_charged, permissions];
  const text = canonicalJson(
    JSON.parse(JSON.stringify([JUDGED_SINCE, judgingEntries, judged, answer, outer])),
  );
  const mark = Number.parseInt(hash('sha256', text, 'hex').slice(0, HEX_DIGITS), 16);
  MARKS.set(dialect, mark);
  return mark;
}

/**
 * The dialect's entry for a call, with the price that the job states. Operations that a dialect lacks are
 * refused before a batch begins.
 */
export function dialectOperationOf(dialect: Dialect, call: Call): DialectOperation {
  const entry = dialect.operations[call.operation];
  const operation = entry?.then !== undefined && isTaking(call) ? takingOf(entry, entry.then) : entry;
  // The words are put together only where they are needed, because each row comes here several times.
  if (operation === undefined) invariant(false, `${dialect.name} has no operation ${call.operation}`);
  const { creditsMost: most } = call;
  if (most === undefined) return operation;
  // A cost by volume is booked by the results. Any other call is booked at the reserved price, because no one
  // knows better.
  const { per_result, found, miss } = operation.credits;
  const ofMiss = miss === undefined ? {} : { miss: Math.min(miss, most) };
  const credits =
    per_result === undefined ? { most, found: most } : { most, found: Math.min(found, most), per_result };
  return { ...operation, credits: { ...credits, ...ofMiss } };
}

/** How what the answer to a call found is taken; undefined where the answer itself has it. */
export function thenOf({ operations }: Dialect, call: Call): Taking | undefined {
  return isTaking(call) ? undefined : operations[call.operation]?.then;
}

/** The entry by which a call takes what was found. It is judged as the operation says, at its own price. */
function takingOf(
  { then: _, later: _later, read_back: _back, repeated: _repeated, by: _by, ...operation }: DialectOperation,
  { id: _id, first: _first, credits, ...taking }: Taking,
): DialectOperation {
  const { method = operation.method, answers = operation.answers, headers } = taking;
  return {
    ...operation,
    ...taking,
    method,
    answers,
    headers: { ...operation.headers, ...headers },
    fields: taking.fields,
    body: taking.body,
    credits: { ...credits, found: credits.found ?? credits.most },
  };
}

/** How the answer of a call is judged that the vendor has accepted before. */
export function laterOperationOf(dialect: Dialect, call: Call): DialectOperation {
  const { later: _, ...operation } = dialectOperationOf(dialect, call);
  return operation;
}

/** @throws StopError `unsupported`. */
export function requireOperation(
  { name, vendor, operations }: Pick<Dialect, 'name' | 'vendor' | 'operations'>,
  operation: string,
): void {
  if (Object.hasOwn(operations, operation)) return;
  const fact = `The dialect ${name} of the ${vendor} has no operation ${operation}.`;
  throw stop('unsupported', fact, `Add operations.${operation} to the dialect.`);
}

/**
 * The meaning of answers to a repeat. A 409 to a repeat is no answer: vendors send it while they work on the
 * first request under the key.
 */
export function operationFor(
  dialect: Dialect,
  call: Call,
  { isRepeated, underKey }: { readonly isRepeated: boolean; readonly underKey: boolean },
): DialectOperation {
  const operation = dialectOperationOf(dialect, call);
  if (!isRepeated) return operation;
  const { repeated = [], answers = [], ...rest } = operation;
  if (underKey) return { ...rest, answers: [...repeated, ...answers, { status: [409], means: 'in_doubt' }] };
  return { ...rest, answers: [...repeated, ...answers] };
}

export function unaskableParameters(dialect: Dialect, operation: string): readonly string[] {
  const fields = Object.entries(dialect.operations[operation]?.fields ?? {});
  return fields.flatMap(([parameter, field]) => (field === null ? [parameter] : []));
}

/** How long the operation lets a whole request take; undefined where the account says so. */
export const timeoutMsOf = ({ timeout }: DialectOperation): number | undefined =>
  timeout === undefined ? undefined : parseDurationMs(timeout);

/** The hosts whose profiles the vendor takes; none: any. */
export const profilesTaken = (dialect: Dialect, operation: string): readonly string[] =>
  dialect.operations[operation]?.profiles ?? [];

/**
 * The vendor's own answer: the reply itself, or the answer inside the reply of the service through which it
 * came. Undefined when the service's reply holds none: then the service itself is answering.
 */
export function vendorReply(raw: Reply, { through }: Pick<Dialect, 'through'>): Reply | undefined {
  if (through === undefined) return raw;
  const { answer } = through.envelope;
  if (lastIn?.raw !== raw || lastIn.answer !== answer)
    lastIn = { raw, answer, vendorsReply: replyIn(raw, answer) };
  return lastIn.vendorsReply;
}

/** The reply that was opened last: whatever reads an answer does so in one turn. */
let lastIn:
  | { readonly raw: Reply; readonly answer: Envelope['answer']; readonly vendorsReply: Reply | undefined }
  | undefined;

function replyIn(raw: Reply, answer: Envelope['answer']): Reply | undefined {
  if (Math.floor(raw.status / 100) !== 2) return undefined;
  if (answer.body === WHOLE_BODY) return raw;
  const outer = readBody(raw.body);
  if (outer.kind !== 'json') return undefined;
  const status = answer.status === undefined ? raw.status : statusIn(valueAt(outer.value, answer.status));
  const body = valueAt(outer.value, answer.body);
  // A status without a body, such as 204, is an answer. Without either of them there is no answer.
  if (status === undefined || (body === undefined && answer.status === undefined)) return undefined;
  const headers = answer.headers === undefined ? undefined : valueAt(outer.value, answer.headers);
  // When the service does not pass on the vendor's date, its own date serves to measure the vendor's times.
  const { date } = raw.headers;
  return { ...raw, status, headers: { ...present({ date }), ...headersIn(headers) }, body: bytesOf(body) };
}

function statusIn(value: JsonValue | undefined): number | undefined {
  const status = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === 'number' && Number.isInteger(status) ? status : undefined;
}

function headersIn(value: JsonValue | undefined): Record<string, string> {
  if (!isObject(value)) return {};
  const entries = Object.entries(value).flatMap(([name, text]) =>
    text === null || isObject(text) ? [] : [[name.toLowerCase(), String(text)] as const],
  );
  return Object.fromEntries(entries);
}

/**
 * Wraps an answer that was learned in another way, in the form in which the service would have passed it on.
 */
export function asReceived(reply: Reply, { through }: Pick<Dialect, 'through'>): Reply {
  if (through === undefined || through.envelope.answer.body === WHOLE_BODY) return reply;
  const { answer } = through.envelope;
  const ownBody = readBody(reply.body);
  const body = ownBody.kind === 'json' ? ownBody.value : reply.body.toString('utf8');
  const members = [
    objectWith(answer.body, body),
    ...(answer.status === undefined ? [] : [objectWith(answer.status, reply.status)]),
  ];
  return { ...reply, status: 200, body: bytesOf(members.reduce(mergedObjects, {})) };
}

/**
 * The places of fields and results in answers, as a dialect states them. `core/answer-body.ts` reads them,
 * also without a dialect.
 * @param operation the operation with answers that hold lists; without it lists are not read.
 */
export function answerPlaceOf(dialect: Dialect, operation?: string): AnswerPlace {
  const steps = operation === undefined ? [] : stepNames(operation);
  if (steps.length > 1) {
    return { steps: Object.fromEntries(steps.map((name) => [name, answerPlaceOf(dialect, name)])) };
  }
  const { through, fields_at: fields, operations } = dialect;
  const { results, gives, verdicts } = operations[operation ?? ''] ?? {};
  const { body: envelope = WHOLE_BODY } = through?.envelope.answer ?? {};
  return {
    ...(envelope === WHOLE_BODY ? {} : { envelope }),
    ...present({ fields, results, gives, verdicts }),
    ...(gives === undefined ? {} : { byKind: true }),
    ...(operation !== undefined && describedCall(operation).gives === 'any' && results === undefined
      ? { objects: true }
      : {}),
  };
}

// ----------------------------------------------------------------------------------- what a person agrees to

/**
 * The differences between the requests of a dialect and the built-in ones. Another person may have written
 * its file, so the user sees every entry that changes a request, and agrees to exactly these. Entries about
 * the meaning of answers do not count.
 */

/** The question before the first request of a dialect with requests that differ from the built-in ones. */
export function dialectQuestion(
  { name, differences }: Dialect,
  address: URL | string,
): AgreementQuestion | undefined {
  if (differences === undefined) return undefined;
  const { origin } = new URL(address);
  return {
    agreement: `dialect:${differences.hash}`,
    fact: `The dialect ${foreignWords(name)} sends ${origin} other requests than the built-in one`,
    details: differences.words,
  };
}

/** 128 bits: no one can make two dialects with one hash, and show the harmless one. */
const HASH_DIGITS = 32;

/** Entries that only read answers, price them or name the dialect; all others may alter a request. */
const NOT_SENT: ReadonlySet<string> = new Set(
  wordsIn(`
    name title base_url vendor differences answers words fields_at credits credits_charged rate_hints request_id repeated
    answer_fields accepted results gives verdicts answer answer_status sure_after valid_for timeout
    connectedAccount examples
  `),
);

/** In these maps the names belong to the vendor. */
const OF_VENDOR: ReadonlySet<string> = new Set(['headers', 'fields', 'body', 'request']);

/** @returns undefined when the dialect sends the same as the built-in one. */
export function differencesOf(dialect: Dialect, builtIn: Dialect): Differences | undefined {
  const now = new Map(entriesSent(dialect));
  const before = new Map(entriesSent(builtIn));
  // The entries are in one fixed order, so that a file whose entries were only moved asks nobody again.
  const differing = [...new Set([...now.keys(), ...before.keys()])]
    .filter((name) => now.get(name) !== before.get(name))
    .sort();
  if (differing.length === 0) return undefined;
  const sent = differing.map((name) => [name, now.get(name) ?? null]);
  const text = canonicalJson(['rowonce-dialect-3', dialect.vendor, ...sent]);
  return {
    hash: hash('sha256', text, 'hex').slice(0, HASH_DIGITS),
    words: differing.map((name) => difference(name, now.get(name), before.get(name))),
  };
}

function difference(name: string, now: string | undefined, before: string | undefined): string {
  if (now === undefined) return `${whole(name)}: left out, built in is ${whole(before ?? '')}`;
  if (before === undefined) return `${whole(name)}: ${whole(now)}, which is not built in`;
  return `${whole(name)}: ${whole(now)} instead of ${whole(before)}`;
}

/** Nothing is cut: a person does not agree to words that were not shown. */
const whole = (text: string): string => foreignWords(text, Math.max(text.length, 1));

/** Every value that may alter a request, with its path in the file. */
function entriesSent(value: unknown, path: readonly string[] = []): readonly (readonly [string, string])[] {
  if (value === undefined) return [];
  if (!isObject(value)) return [[path.join('.'), value === null ? 'none' : JSON.stringify(value)]];
  const isOfVendor = OF_VENDOR.has(path.at(-1) ?? '');
  return Object.entries(value).flatMap(([name, each]) =>
    !isOfVendor && NOT_SENT.has(name) ? [] : entriesSent(each, [...path, name]),
  );
}
