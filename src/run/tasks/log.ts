import { stop } from '../../core/errors.ts';
import { NOTE_PERSON, subjectWords } from '../../core/membership.ts';
import type { Act, AttemptRecord, Batch, BatchId, Decision, LedgerReader } from '../../ledger/ledger.ts';
import {
  normaliseAbn,
  normaliseCompanyProfile,
  normaliseDomain,
  normaliseEmail,
  normalisePersonProfile,
  normaliseProfileSlug,
  normaliseWebsite,
} from '../../operations/lookup/identifiers.ts';
import { isAbn, isEmail } from '../../operations/lookup/recognise.ts';
import { batchWithId, eachLedgerThere, findBatch } from '../open-ledger.ts';

/**
 * What was asked, bought, changed, decided and erased: when, by which batch and operator, at what price. It is read from the
 * ledgers alone. What a person was forgotten for keeps a hash, its time and its price.
 */

export interface LogEntry {
  readonly atMs: number;
  readonly kind: 'asked' | 'changed' | 'decided' | Act['kind'];
  /** Undefined for what was done before ledgers kept who is at work. */
  readonly operator: string | undefined;
  readonly batch:
    | Pick<Batch, 'id' | 'accountName' | 'accountIdentity' | 'sandbox' | 'operation' | 'inputPath'>
    | undefined;
  readonly row?: number;
  readonly request?: LoggedRequest;
  readonly decision?: Pick<Decision, 'kind' | 'by' | 'why'>;
}

export interface LoggedRequest {
  readonly operation: string;
  /** Whom a change altered, in words, with the role that was given. */
  readonly subject: string | undefined;
  readonly asked: Readonly<Record<string, string>>;
  /** `found`, `no_match`, `refused`, `in_doubt`, `not_sent`, `paused`, `stopped` or `open`. */
  readonly ended: string;
  readonly charged: number;
  readonly inDoubt: number;
  readonly why: string;
  readonly status: number | undefined;
  /** The vendor's own words about a change; what was bought about people is in the ledger and in no log. */
  readonly said: string | undefined;
  /** By what an erased request is known. */
  readonly hash: string | undefined;
}

export type LogAbout =
  | { readonly kind: 'all' }
  | { readonly kind: 'batch'; readonly batch: BatchId }
  | { readonly kind: 'values'; readonly values: readonly string[] };

interface LogOptions {
  readonly store: string | undefined;
  readonly about: LogAbout;
  /** Only what altered the service, with the decisions about it. */
  readonly changes?: boolean;
  readonly leaving?: AbortSignal;
}

/** What a user means: a batch by its id, the beginning of it or `last`; else a person or company, however it is written. */
export async function aboutOf(text: string | undefined, store: string | undefined): Promise<LogAbout> {
  if (text === undefined) return { kind: 'all' };
  const word = text.trim();
  const isBatch = word === 'last' || /^[0-9a-f]{4,8}$/.test(word);
  if (isBatch) return { kind: 'batch', batch: (await findBatch(word, store)).batch.id };
  const values = spellingsOf(word);
  if (values.length > 0) return { kind: 'values', values };
  throw stop('usage', 'There is nothing to search for.', 'Give an e-mail address, an ABN or a web address.');
}

export async function logOf(
  options: LogOptions,
  hear: (entry: LogEntry) => void | Promise<void>,
): Promise<void> {
  const { about, store } = options;
  if (about.kind === 'batch' && (await batchWithId(about.batch, store)) === undefined) return;
  // Play money has a store of its own, which comes last.
  await eachLedgerThere(store, async (ledger) => {
    for await (const entry of entriesIn(ledger, options)) {
      if (options.leaving?.aborted) return;
      await hear(entry);
    }
  });
}

async function* entriesIn(ledger: LedgerReader, options: LogOptions): AsyncGenerator<LogEntry, void> {
  const told = new Told(ledger);
  const { about, changes = false } = options;
  const acts = changes || about.kind === 'values' ? [] : await actsIn(ledger, about, told);
  for await (const attempts of attemptsOf(ledger, options)) {
    for (const attempt of attempts) {
      if (changes && attempt.call.change === undefined) continue;
      while ((acts[0]?.atMs ?? 0) >= attempt.sentAtMs) yield acts.shift() as LogEntry;
      yield* await told.entriesOf(attempt);
    }
  }
  yield* acts;
}

async function* attemptsOf(
  ledger: LedgerReader,
  { about, changes, leaving }: LogOptions,
): AsyncGenerator<readonly AttemptRecord[]> {
  if (about.kind === 'values') {
    yield await attemptsAbout(ledger, about.values, leaving);
    return;
  }
  yield* ledger.logged({ batch: about.kind === 'batch' ? about.batch : undefined, changes });
}

async function attemptsAbout(
  ledger: LedgerReader,
  values: readonly string[],
  leaving: AbortSignal | undefined,
): Promise<readonly AttemptRecord[]> {
  const found: AttemptRecord[] = [];
  for await (const part of ledger.attemptsAbout(values)) {
    found.push(...part);
    if (leaving?.aborted) break;
  }
  return found.sort((one, other) => other.attempt - one.attempt);
}

async function actsIn(ledger: LedgerReader, about: LogAbout, told: Told): Promise<LogEntry[]> {
  const batches = about.kind === 'batch' ? [about.batch] : (await ledger.batches()).map(({ id }) => id);
  const entries: LogEntry[] = [];
  for (const id of batches) {
    const batch = await told.batch(id);
    const acts = await told.acts(id);
    for (const { kind, operator, atMs } of acts) entries.push({ atMs, kind, operator, batch });
    // It is of a ledger from before that was kept.
    if (batch !== undefined && acts[0]?.kind !== 'begun')
      entries.push({ atMs: batch.createdAtMs, kind: 'begun', operator: undefined, batch });
  }
  if (about.kind === 'all')
    for (const { kind, operator, atMs } of await ledger.erasures())
      entries.push({ atMs, kind, operator, batch: undefined });
  return entries.sort((one, other) => other.atMs - one.atMs);
}

class Told {
  readonly #ledger: LedgerReader;
  readonly #batches = new Map<BatchId, Promise<Batch | undefined>>();
  readonly #acts = new Map<BatchId, Promise<readonly Act[]>>();

  constructor(ledger: LedgerReader) {
    this.#ledger = ledger;
  }

  batch(id: BatchId): Promise<Batch | undefined> {
    return kept(this.#batches, id, () => this.#ledger.batch(id));
  }

  acts(id: BatchId): Promise<readonly Act[]> {
    return kept(this.#acts, id, () => this.#ledger.acts(id));
  }

  async entriesOf(attempt: AttemptRecord): Promise<readonly LogEntry[]> {
    const { row, call, decisions, operator, sentAtMs: atMs } = attempt;
    const request = requestOf(attempt);
    const batch = await this.batch(attempt.batch);
    const decided = decisions.map(async (decision): Promise<LogEntry> => {
      const { kind, by, why, atMs: at } = decision;
      const who = by === 'person' ? decision.operator : undefined;
      const of = await this.batch(decision.batch);
      return {
        atMs: at,
        kind: 'decided',
        operator: who,
        batch: of,
        row,
        request,
        decision: { kind, by, why },
      };
    });
    const kind = call.change === undefined ? 'asked' : 'changed';
    // Of a note the person's word is told, because nothing was sent.
    if (call.operation === NOTE_PERSON) return (await Promise.all(decided)).reverse();
    return [...(await Promise.all(decided)).reverse(), { atMs, kind, operator, batch, row, request }];
  }
}

function kept<Key, Value>(found: Map<Key, Value>, key: Key, find: () => Value): Value {
  const known = found.get(key);
  if (known !== undefined) return known;
  const value = find();
  found.set(key, value);
  return value;
}

const MOST_SAID = 2_000;

const HASH_SHOWN = 16;

function requestOf(attempt: AttemptRecord): LoggedRequest {
  const { call, closure, decision, reserved, reply, key, released } = attempt;
  const isTold = decision?.kind === 'told';
  const settled = closure?.kind === 'answered' ? closure : undefined;
  const isErased = call.erasedAtMs !== undefined;
  const isHeld = closure?.kind === 'in_doubt' && !isTold && released === undefined;
  const asked = Object.fromEntries(
    Object.entries(call.parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
  const as = asked.role === undefined ? '' : ` as ${asked.role}`;
  return {
    operation: call.operation,
    subject: call.change === undefined || isErased ? undefined : `${subjectWords(call.change.subject)}${as}`,
    asked,
    ended: isTold ? 'found' : (settled?.answer ?? closure?.kind ?? 'open'),
    charged: isTold ? reserved : (settled?.charged ?? 0),
    inDoubt: isHeld ? reserved : 0,
    why: closure?.why ?? '',
    status: reply?.status,
    said:
      call.change === undefined || isErased ? undefined : reply?.body.toString('utf8').slice(0, MOST_SAID),
    hash: isErased ? key.slice(0, HASH_SHOWN) : undefined,
  };
}

/** The text, and as operations send it: by what it is, so that an address does not find the company of its domain. */
function spellingsOf(text: string): readonly string[] {
  if (text === '' || text.length > 500) return [];
  const readers = isEmail(text)
    ? [normaliseEmail]
    : isAbn(text)
      ? [normaliseAbn]
      : [
          normaliseDomain,
          normaliseWebsite,
          normalisePersonProfile,
          normaliseCompanyProfile,
          normaliseProfileSlug,
        ];
  const read = readers.map((reader) => reader(text));
  return [...new Set([text, ...read.flatMap((each) => (each.kind === 'usable' ? each.value : []))])];
}
