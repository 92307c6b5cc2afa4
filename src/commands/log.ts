import { z } from 'zod';
import { isoTime } from '../core/clock.ts';
import { stop } from '../core/errors.ts';
import { NO_FINDINGS } from '../core/finding.ts';
import { sayAll } from '../core/finding-words.ts';
import { type Subject, subjectWords } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import { atMost, counted, foreignWords, grouped, linesOf } from '../core/plain-text.ts';
import { accountNameIn } from '../files/output/output.ts';
import type { AttemptRecord, Batch, BatchId, LearnedRecord, LedgerReader } from '../ledger/ledger.ts';
import { type LogEntryObject, LogObject } from '../objects/log-object.ts';
import { eachLedgerThere, findBatch } from '../run/open-ledger.ts';
import { email } from '../values/email.ts';
import { abn } from '../values/number.ts';
import { companyProfile, personProfile, profileSlug } from '../values/profile.ts';
import { domain, website } from '../values/website.ts';
import { argument, command, onOff } from './shared/command.ts';
import { COMMON } from './shared/input.ts';

/** A person does not look through more entries. */
const SHOWN = 100;

export default command({
  name: 'log',
  summary: 'Shows who asked, bought or changed what: for a person, a company, a batch or everything.',
  example: 'log jo@example.com',
  input: z.strictObject({
    ...COMMON,
    about: argument(
      z.string().optional(),
      'an e-mail address, an ABN, a web address, or a batch; left out: everything',
    ),
    all: onOff('every entry, not only the newest 100'),
  }),
  output: LogObject,
  async run({ about: text, store, all }) {
    const about = await aboutOf(text, store);
    const most = all ? Number.POSITIVE_INFINITY : SHOWN;
    const entries: LogEntryObject[] = [];
    // The store of sandbox accounts comes last.
    await eachLedgerThere(store, async (ledger) => {
      for await (const entry of entriesIn(ledger, about, most)) {
        if (entries.length > most) return;
        entries.push(entry);
      }
    });
    const more = entries.length > most;
    const shown = entries.slice(0, most);
    return {
      lines: shown.length === 0 ? [nothingLine(about)] : shown.map(lineOf),
      object: {
        about: about.kind === 'all' ? [] : about.kind === 'batch' ? [about.batch] : [...about.values],
        entries: shown,
        more,
      },
      advice: more ? ['There is more: --all shows it.'] : [],
    };
  },
});

// ------------------------------------------------------------------------------------------------ about whom

type About =
  | { readonly kind: 'all' }
  | { readonly kind: 'batch'; readonly batch: BatchId }
  | { readonly kind: 'values'; readonly values: readonly string[] };

/**
 * Reads the word of a user: the id of a batch, the beginning of one or `last`; else a person or company in
 * any spelling.
 */
async function aboutOf(text: string | undefined, store: string | undefined): Promise<About> {
  if (text === undefined) return { kind: 'all' };
  const word = text.trim();
  const isBatch = word === 'last' || /^[0-9a-f]{4,8}$/.test(word);
  if (isBatch) return { kind: 'batch', batch: (await findBatch(word, store)).batch.id };
  const values = spellingsOf(word);
  if (values.length > 0) return { kind: 'values', values };
  throw stop('usage', 'There is nothing to search for.', 'Give an e-mail address, an ABN or a web address.');
}

/**
 * The text, and the forms in which operations send it. An e-mail address is read as one only, so that the
 * company of its domain is not found.
 */
function spellingsOf(text: string): readonly string[] {
  if (text === '' || text.length > 500) return [];
  const readers = email.looksRight(text)
    ? [email.read]
    : abn.looksRight(text)
      ? [abn.read]
      : [domain.read, website.read, personProfile.read, companyProfile.read, profileSlug.read];
  const read = readers.map((reader) => reader(text));
  return [...new Set([text, ...read.flatMap((each) => (each.kind === 'usable' ? each.value : []))])];
}

const nothingLine = (about: About): string =>
  about.kind === 'values'
    ? `Nothing was asked about ${about.values.join(', ')}.`
    : 'Nothing has been done yet.';

// ----------------------------------------------------------------------------------------------- the entries

/** The entries of a ledger, newest first. @param most so many are shown at most. */
async function* entriesIn(
  ledger: LedgerReader,
  about: About,
  most: number,
): AsyncGenerator<LogEntryObject, void> {
  const batches = new Map((await ledger.batches()).map((batch) => [batch.id, batch]));
  const learned = await learnedIn(ledger, about, batches, most);
  const acts = [...learned, ...(await actsIn(ledger, about, batches))].sort(newestFirst);
  for await (const attempts of attemptsOf(ledger, about))
    for (const attempt of attempts) {
      while ((acts[0]?.at ?? '') >= isoTime(attempt.sentAtMs)) yield acts.shift() as LogEntryObject;
      yield* entriesFrom(attempt, batches);
    }
  yield* acts;
}

async function* attemptsOf(
  ledger: LedgerReader,
  about: About,
): AsyncGenerator<readonly AttemptRecord[], void> {
  if (about.kind !== 'values') return yield* ledger.logged(about.kind === 'batch' ? about.batch : undefined);
  const found: AttemptRecord[] = [];
  for await (const part of ledger.attemptsAbout(about.values)) found.push(...part);
  yield found.sort((one, other) => other.attempt - one.attempt);
}

type Batches = ReadonlyMap<BatchId, Batch>;

/** The entries for acts with batches, and for erasures. */
async function actsIn(ledger: LedgerReader, about: About, batches: Batches): Promise<LogEntryObject[]> {
  if (about.kind === 'values') return [];
  const entries: LogEntryObject[] = [];
  for (const batch of batches.values())
    if (about.kind === 'all' || batch.id === about.batch)
      for (const { kind, operator, atMs } of await ledger.acts(batch.id))
        entries.push(entryOf(atMs, kind, operator, batch));
  if (about.kind === 'all')
    for (const { kind, operator, atMs } of await ledger.erasures())
      entries.push(entryOf(atMs, kind, operator));
  return entries;
}

const newestFirst = (one: LogEntryObject, other: LogEntryObject): number =>
  Number(one.at < other.at) - Number(one.at > other.at);

/** What lists have said of people. */
async function learnedIn(
  ledger: LedgerReader,
  about: About,
  batches: Batches,
  most: number,
): Promise<LogEntryObject[]> {
  const entries: LogEntryObject[] = [];
  for await (const part of ledger.learned(about.kind === 'batch' ? about.batch : undefined)) {
    entries.push(...part.filter((each) => isAbout(each, about)).map((each) => learnedEntry(each, batches)));
    if (entries.length > most) break;
  }
  return entries;
}

function isAbout({ subject, leaves }: LearnedRecord, about: About): boolean {
  const noteText = JSON.stringify({ subject, leaves });
  return about.kind !== 'values' || about.values.some((value) => noteText.includes(JSON.stringify(value)));
}

function learnedEntry(learned: LearnedRecord, batches: Batches): LogEntryObject {
  const { batch, row, atMs, operator, words, subject, leaves } = learned;
  const { state, role, userId } = leaves ?? {};
  return {
    ...entryOf(atMs, 'decided', operator, batches.get(batch)),
    row,
    operation: 'note-person',
    subject: subject ? changedWords(subject, role) : null,
    asked: present({ state, role, user_id: userId }),
    ended: 'told',
    decided_by: 'person',
    why: words,
  };
}

const changedWords = (subject: Subject, role: string | undefined): string =>
  role === undefined ? subjectWords(subject) : `${subjectWords(subject)} as ${role}`;

const entryOf = (
  atMs: number,
  kind: LogEntryObject['kind'],
  operator: string | undefined,
  batch?: Batch,
): LogEntryObject => ({
  at: isoTime(atMs),
  kind,
  operator: operator ?? null,
  batch: batch?.id ?? null,
  row: null,
  account: batch?.accountName ?? null,
  sandbox: batch?.sandbox ?? false,
  operation: batch?.operation ?? null,
  subject: null,
  asked: {},
  hash: null,
  ended: null,
  decided_by: null,
  why: null,
  charged: null,
  in_doubt: null,
  status: null,
  said: null,
});

/** An attempt and the earlier decisions about it, the newest first. */
function entriesFrom(attempt: AttemptRecord, batches: Batches): readonly LogEntryObject[] {
  const {
    batch: id,
    row,
    call,
    end,
    toldAnswer,
    decision,
    decisions,
    operator,
    reserved,
    sentAtMs,
  } = attempt;
  const batch = batches.get(id);
  const request = requestOf(attempt);
  const decided = decisions.map((made): LogEntryObject => {
    const by = made.by === 'person' ? made.operator : undefined;
    const entry = entryOf(made.atMs, 'decided', by, batches.get(made.batch));
    return { ...entry, ...request, row, ended: made.kind, decided_by: made.by, why: made.why };
  });
  decided.reverse();
  const kind = call.change === undefined ? 'asked' : 'changed';
  const isHeld = end?.kind === 'in_doubt' && toldAnswer === undefined && attempt.released === undefined;
  const settled = toldAnswer ?? (end?.kind === 'answered' ? end : undefined);
  const askedEntry: LogEntryObject = {
    ...entryOf(sentAtMs, kind, operator, batch),
    ...request,
    ...(batch && { account: accountNameIn(batch, attempt) }),
    row,
    ended: settled?.answer ?? end?.kind ?? 'open',
    ...(toldAnswer && decision && { decided_by: decision.by }),
    why: (toldAnswer && decision?.why) ?? sayAll(end?.why ?? NO_FINDINGS, 'terminal'),
    charged: settled?.charged ?? 0,
    in_doubt: isHeld ? reserved : 0,
  };
  return [...decided, askedEntry];
}

const MOST_SAID = 2_000;
const HASH_SHOWN = 16;

/**
 * The request of an attempt. Only a change shows the vendor's own words: data that was bought about people is
 * in no log.
 */
function requestOf({ call, reply, key }: AttemptRecord) {
  const { operation, parameters, change, erasedAtMs } = call;
  const named = Object.entries(parameters).map(([name, value]) => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  const askedMembers: LogEntryObject['asked'] = Object.fromEntries(named);
  const isErased = erasedAtMs !== undefined;
  const altered = isErased ? undefined : change;
  return {
    operation,
    subject: altered ? changedWords(altered.subject, askedMembers.role) : null,
    asked: askedMembers,
    hash: isErased ? key.slice(0, HASH_SHOWN) : null,
    status: reply?.status ?? null,
    said: altered ? (reply?.body.toString('utf8').slice(0, MOST_SAID) ?? null) : null,
  };
}

// -------------------------------------------------------------------------------------------------- as words

function lineOf(entry: LogEntryObject): string {
  const { at, batch, row, sandbox } = entry;
  const where = batch === null ? '' : `  batch ${batch}${row === null ? '' : ` row ${row}`}`;
  const who = entry.operator ?? 'no name noted';
  return `${at.slice(0, 19)}Z  ${who}  ${whatOf(entry)}${where}${sandbox ? '  (play money)' : ''}`;
}

function whatOf(entry: LogEntryObject): string {
  const { kind, operation, account, ended, decided_by: by, why, charged, in_doubt } = entry;
  switch (kind) {
    case 'decided': {
      const who = by === 'person' ? '' : `, by ${by === 'job' ? 'the job' : 'a rule'}`;
      const what = ended === 'told' ? '' : ` ${ended}`;
      return `decided${what}${who}, about ${subjectOf(entry)} (${foreignWords(why ?? '')})`;
    }
    case 'asked': {
      const what = `${operation} at ${account}, ${subjectOf(entry)}`;
      return `${what}: ${ended}, ${costOf(entry)} (${foreignWords(why ?? '')})`;
    }
    case 'changed': {
      const cost = charged === 0 && in_doubt === 0 ? '' : `, ${costOf(entry)}`;
      // A change that was made is done: nothing was looked for.
      return `${operation} ${subjectOf(entry)}: ${ended === 'found' ? 'done' : ended}${cost}, ${saidOf(entry)}`;
    }
    case 'erased':
      return 'erased a person or old data';
    default:
      return `${ACTS[kind]} a batch, ${operation}`;
  }
}

const ACTS = {
  begun: 'began',
  gone_on: 'continued',
  settled: 'decided about',
  paused: 'paused',
  resumed: 'resumed',
  cancelled: 'cancelled',
};

const saidOf = ({ status, said }: LogEntryObject): string =>
  status === null ? 'no answer' : `status ${status} ${foreignWords(said ?? '')}`.trim();

/** `email jo@x.com`, or the hash of a subject that was erased. */
function subjectOf({ hash, subject, asked: askedValues }: LogEntryObject): string {
  if (hash !== null) return `erased, hash ${hash}`;
  const pairs = Object.entries(askedValues).map(([name, value]) => `${name} ${foreignWords(value, 80)}`);
  return subject ?? pairs.join(', ');
}

/** A call whose answer was decided by a person may or may not have been charged. */
function costOf({ charged, in_doubt: inDoubt, decided_by: by }: LogEntryObject): string {
  return linesOf(
    atMost(charged ?? 0, by !== null, counted(charged ?? 0, 'credit')),
    (inDoubt ?? 0) > 0 && `${grouped(inDoubt ?? 0)} in doubt`,
  ).join(', ');
}
