import { hash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Accounts, loadAccounts } from '../../client/account/account.ts';
import { withAccount } from '../../client/account/edit.ts';
import { dialectOperationOf, type Later, type OwnDialect } from '../../client/dialect.ts';
import { laterLackOf } from '../../client/judge.ts';
import {
  costIn,
  draftOf,
  foundIn,
  type Heard,
  jsonOf,
  laterFrom,
  lineWithoutKey,
  nobodyLike,
  onTrial,
  type Proposal,
  proposalFrom,
  type RequestDraft,
  requestInCurl,
  trialDialect,
} from '../../client/proposal.ts';
import { callKeyOf } from '../../core/call-key.ts';
import { systemClock } from '../../core/clock.ts';
import { describedCall } from '../../core/described.ts';
import { agreeing, StopError, stop } from '../../core/errors.ts';
import { wantedOf } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { RowInput } from '../../core/operation.ts';
import { spoolFolder } from '../../core/paths.ts';
import { asFlag, byFlag, faces, phrase, typing } from '../../core/phrase.ts';
import { counted } from '../../core/plain-text.ts';
import { stopShown } from '../../core/stop-object.ts';
import type { AttemptRecord, LedgerReader } from '../../ledger/ledger.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { commandLine, withOption } from '../../lib/command-line.ts';
import { parseDurationMs } from '../../lib/duration.ts';
import type { StopObject } from '../../objects/stop-object.ts';
import { chooseJob } from '../../run/choose.ts';
import { knownAccount } from '../../run/known-account.ts';
import { lookIfThere } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { type KeyInput, keyOf } from '../shared/asked-key.ts';
import type { Host } from '../shared/command.ts';
import { mayBeSent, spend, toldOn } from '../shared/spending.ts';
import { type Made, makeCall, readAnew, requestLines, requestShown, type Trial, trialOf } from './trial.ts';

/**
 * A vendor whom no dialect describes is asked by a line of curl: once for a person or company that it knows,
 * once for an invented one. Both are trials like any other. Their answers are kept, so the same command asks
 * for neither twice, wherever the one before it has ended.
 */

interface LineInput extends KeyInput {
  readonly job: string;
  readonly given: RowInput;
  readonly account?: string | undefined;
  readonly operation?: string | undefined;
  readonly later?: string | undefined;
  readonly secret_env?: Readonly<Record<string, string>> | undefined;
  readonly store?: string | undefined;
  readonly budget?: number | undefined;
  readonly yes?: boolean | undefined;
  readonly means?: string | undefined;
}

/** A question to the vendor, and what came of it. */
export interface Tried {
  readonly trial: Trial;
  readonly record: AttemptRecord;
  /** The credits that were spent now. */
  readonly spent: number;
}

export interface LineTried {
  readonly draft: RequestDraft;
  readonly name: string;
  readonly key: object;
  /** The words of the command without a key. */
  readonly words: readonly string[];
  readonly first: Tried | undefined;
  readonly second: Tried | undefined;
  readonly batch: string;
  readonly proposal: Proposal | undefined;
  readonly stopped: StopObject | null;
  /** What is to be done where nothing could be proposed. */
  readonly lacks: string | undefined;
}

/** What the trials of a line have in common. */
interface Line {
  readonly input: LineInput;
  readonly host: Host;
  readonly words: readonly string[];
  readonly draft: RequestDraft;
  readonly name: string;
  readonly accounts: Accounts;
  readonly most: number;
}

/** @throws StopError `usage` for a line that cannot be tried, `account` for a name that is taken. */
export async function tryLine(input: LineInput, host: Host): Promise<LineTried> {
  const { console } = host;
  const draft = draftOf(requestInCurl(input.job), input.operation);
  const name = await nameOf(input, host);
  const words = wordsWithoutKey(input, host);
  const given = givenFor(draft, input);
  const most = mostOf(draft, input);
  const saved = await loadAccounts();
  const entry = { vendor: 'provider', base_url: draft.origin };
  // The request is shown before the key is asked for, so this key is none yet.
  const none = Object.fromEntries(Object.keys(draft.slots).map((slot) => [slot, { value: 'none' }]));
  const shown = withAccount(saved, name, { ...entry, key: 'none', ...someOf(none) });
  const line = { input, host, words, draft, name, most };
  const known = await trialFor({ ...line, accounts: shown }, given, undefined);
  for (const text of [about(draft), ...requestLines(requestShown(known)), ...draft.notes, ...known.notes])
    (console.json ? console.say : console.print)(text);
  const key = { ...(await keyFor(input, host, draft, name)), ...(await slotsFor(input, host, draft)) };
  const whole: Line = { ...line, accounts: withAccount(saved, name, { ...entry, ...key }) };
  const triedAnswers = await bothTried(whole, given);
  return { ...triedAnswers, draft, name, key, words };
}

async function nameOf({ account }: LineInput, { console }: Host): Promise<string> {
  const name = account ?? (await console.ask('Name of the new account: '))?.trim();
  if (name) return name;
  throw stop('usage', NO_NAME, phrase`Name the new account ${byFlag('--account')}.`);
}

/** What is printed and kept of the command has no key, which may stand in the line. */
function wordsWithoutKey({ job, later }: LineInput, host: Host): readonly string[] {
  const words = host.wordsWith(job, lineWithoutKey(job));
  return words.map((word) => (word === later ? lineWithoutKey(word) : word));
}

const about = ({ operation, entry }: RequestDraft): string =>
  `It is read as ${operation}, by ${entry.by.join(', else by ')}.`;

/** A key that stands in the line is taken from there; one that is given beside it replaces it. */
async function keyFor(input: LineInput, { console }: Host, { key }: RequestDraft, name: string) {
  if (key === undefined || input.key_env !== undefined || input.key_stdin) return keyOf(console, input, name);
  console.say('The key is taken out of the line. Your shell may keep the line in its history.');
  return { key };
}

const someOf = (secrets: Readonly<Record<string, object>>): { readonly secrets?: object } =>
  Object.keys(secrets).length === 0 ? {} : { secrets };

/** What fills the slots: a variable, what stands in the line, or what is typed. */
async function slotsFor(
  { secret_env: variables = {} }: LineInput,
  { console }: Host,
  { slots }: RequestDraft,
) {
  const secrets: Record<string, object> = {};
  for (const [slot, inLine] of Object.entries(slots)) {
    const env = variables[slot];
    const value = env === undefined ? (inLine ?? (await typedSecret(console, slot))) : undefined;
    secrets[slot] = env === undefined ? { value } : { env };
  }
  return someOf(secrets);
}

async function typedSecret(console: Host['console'], slot: string): Promise<string> {
  const typed = (await console.ask(`Its "${slot}" (not shown as you type): `, { hidden: true }))?.trim();
  if (typed) return typed;
  const byEnv = byFlag('--secret-env', `${slot}=VARIABLE`);
  const next = phrase`Give it${typing` ${byEnv}, or answer on a terminal`}.`;
  throw stop('usage', `The vendor asks for a second secret, "${slot}", which is missing.`, next);
}

/** @throws StopError `usage` where the line shows no one to ask for. */
function givenFor({ given, missing }: RequestDraft, input: LineInput): RowInput {
  const all = { ...given, ...input.given };
  const lacks = missing.filter((each) => all[each] === undefined);
  if (lacks.length === 0) return all;
  const fact = `The line has no example to ask for: ${lacks.join(', ')} is only a place in it.`;
  throw stop(
    'usage',
    fact,
    `Give a person or company that the vendor will know, as ${lacks[0]}=value behind the line.`,
  );
}

/** Half of the budget is for each of the two. */
function mostOf({ operation }: RequestDraft, { budget }: LineInput): number {
  if (budget === undefined) return describedCall(operation).finds === 'phone' ? 10 : 1;
  return budget === 0 ? 0 : Math.max(1, Math.floor(budget / 2));
}

async function trialFor(
  {
    draft,
    name,
    accounts,
    most,
    host: { ownParts },
  }: Pick<Line, 'draft' | 'name' | 'accounts' | 'most' | 'host'>,
  given: RowInput,
  later: Later | undefined,
  proposed?: OwnDialect,
): Promise<Trial> {
  const chosen = await chooseJob({
    job: draft.operation,
    entries: { account: name },
    accounts,
    dialects: [proposed ?? trialDialect(draft, name, most, later)],
    ...present({ operations: ownParts.operations }),
  });
  if (proposed !== undefined) return trialOf(chosen, given);
  return trialOf({ ...chosen, dialect: onTrial(chosen.dialect, draft.operation) }, given);
}

// ------------------------------------------------------------------------------------------------ both asked

type Asked = Omit<LineTried, 'draft' | 'name' | 'key' | 'words'>;

const NOTHING: Asked = {
  first: undefined,
  second: undefined,
  batch: '',
  proposal: undefined,
  stopped: null,
  lacks: undefined,
};

async function bothTried(line: Line, given: RowInput): Promise<Asked> {
  const { draft } = line;
  const nobody = nobodyLike(given);
  const noted = await laterNoted(line);
  const keptRecords = await keptOf(line, [given, nobody], noted);
  await requireYes(line, keptRecords.filter((each) => each === undefined).length);
  const first = await answerFor(line, given, noted, keptRecords[0]);
  if (first.tried === undefined) return { ...NOTHING, ...stopOf(first) };
  const { tried, later } = first;
  const ofFirst = { first: tried, batch: tried.record.batch };
  if (first.stopped !== null) return { ...NOTHING, ...ofFirst, ...stopOf(first) };
  const replied = heardIn(tried, given);
  if (replied === undefined || Object.keys(foundIn(draft.operation, replied)).length === 0)
    return { ...NOTHING, ...ofFirst, lacks: first.lacks ?? notKnown(draft) };
  const dear = keptRecords[1] === undefined ? await tooDear(line, replied) : null;
  if (dear !== null) return { ...NOTHING, ...ofFirst, stopped: dear };
  const second = await answerFor(line, nobody, later, keptRecords[1]);
  const both = { ...ofFirst, ...present({ second: second.tried }) };
  const miss = second.tried && heardIn(second.tried, nobody);
  if (second.stopped !== null || miss === undefined) return { ...NOTHING, ...both, ...stopOf(second) };
  const means = line.input.means === 'no_match' ? 'no_match' : undefined;
  const { name, most } = line;
  const proposal = await proposalFrom({ draft, name, most, later }, replied, miss, means);
  const ended = await readAgain(line, proposal, [given, nobody]);
  return {
    ...NOTHING,
    batch: ofFirst.batch,
    first: ended[0] ?? tried,
    ...present({ second: ended[1] ?? second.tried }),
    proposal,
  };
}

const notKnown = ({ operation }: RequestDraft): string => {
  const wanted = wantedOf(operation);
  const what = wanted === undefined ? 'nothing that it may give' : `no ${wanted}`;
  return `The first answer has ${what}, so the second request was not sent. Behind the line, name a person or company that the vendor knows.`;
};

const heardIn = ({ trial, record }: Tried, given: RowInput): Heard | undefined =>
  record.reply && { given, call: trial.call, reply: record.reply };

interface Answered {
  readonly tried: Tried | undefined;
  readonly later: Later | undefined;
  readonly stopped: StopObject | null;
  readonly lacks?: string;
}

const stopOf = ({ stopped, lacks }: Answered): Pick<Asked, 'stopped' | 'lacks'> => ({ stopped, lacks });

/**
 * The answer to one of the two questions: the one that the ledger has, or else that of the vendor. Where the
 * vendor answers later, it is asked for until it is there.
 */
async function answerFor(
  line: Line,
  given: RowInput,
  noted: Later | undefined,
  known: AttemptRecord | undefined,
): Promise<Answered> {
  const trial = await trialFor(line, given, noted);
  const isOpen = known === undefined || isFirst(known, noted);
  const trialAnswer = isOpen ? await ask(line, trial) : { record: known, spent: 0, stopped: null };
  const { record, stopped } = trialAnswer;
  if (record === undefined) return { tried: undefined, later: noted, stopped };
  const tried = { trial, record, spent: trialAnswer.spent };
  if (stopped !== null || record.reply === undefined)
    return { tried, later: noted, stopped, ...lost(record) };
  const later = noted ?? (await laterShown(line, tried, given));
  if (noted !== undefined || later === undefined) return { tried, later, stopped };
  await noteLater(line, later);
  const again = await ask(line, await trialFor(line, given, later));
  const answer = { trial, record: again.record ?? record, spent: trialAnswer.spent + again.spent };
  return { tried: answer, later, stopped: again.stopped };
}

const lost = ({ reply }: AttemptRecord): { readonly lacks?: string } =>
  reply === undefined ? { lacks: 'The answer was lost, and may have been charged.' } : {};

interface OneAsked {
  readonly record: AttemptRecord | undefined;
  readonly spent: number;
  readonly stopped: StopObject | null;
}

async function ask({ input, host, words }: Line, trial: Trial, by = waitedFor): Promise<OneAsked> {
  const tell = toldOn(host.console);
  // What a run says of its batch and its vendor is about a list, and the answers are shown below.
  const tellPause: typeof tell = (event) => event.kind === 'paused' && tell(event);
  const { made: done, signal } = await spend(host, input, { words }, tellPause, async (spending) => ({
    made: await by(trial, { store: input.store }, words, spending),
    signal: spending.signal,
  }));
  const { summary, tried, isStill } = done;
  const isOver = tried?.end?.kind === 'answered' || tried?.end?.kind === 'in_doubt';
  // The row may have ended after the signal, and nothing more may be sent then either.
  const bySignal = signal.reason instanceof StopError ? stopShown(signal.reason.detail) : null;
  const stopped = bySignal ?? (isStill ? STILL_AT_WORK : null);
  return {
    record: tried,
    spent: summary.credits.spent_now,
    stopped: isOver ? stopped : (summary.stopped ?? stopped),
  };
}

/**
 * Makes the call, and asks for its later answer until that is there. A batch whose row is in doubt asks once
 * and is over, so it is begun again for each question.
 */
async function waitedFor(...[trial, options, words, spending]: Parameters<typeof makeCall>): Promise<Made> {
  const { later } = dialectOperationOf(trial.dialect, trial.call);
  const { signal, maxPauseMs = Number.POSITIVE_INFINITY, clock = systemClock } = spending;
  const everyMs = parseDurationMs(later?.every ?? '') ?? 0;
  const beganMs = clock.monotonicMs();
  for (;;) {
    const done = await makeCall(trial, options, words, spending);
    const { summary, tried } = done;
    if (later === undefined || tried === undefined || !isAtWork(tried)) return done;
    if (summary.stopped !== null || signal.aborted) return done;
    const askedForMs = clock.wallMs() - (tried.reply?.receivedAtMs ?? tried.sentAtMs);
    const isLate = askedForMs >= (parseDurationMs(later.gives_up) ?? 0);
    if (isLate || clock.monotonicMs() - beganMs + everyMs > maxPauseMs) return { ...done, isStill: true };
    await clock.sleep(everyMs, signal).catch(() => {});
  }
}

const NO_NAME = phrase`${faces(asFlag('--account'), 'The name of the account')} is missing.`;

/** The vendor has given an id, and no answer yet. */
const isAtWork = ({ vendorId, end }: AttemptRecord): boolean =>
  vendorId !== undefined && end?.kind !== 'answered';

const STILL_AT_WORK = stopShown({
  code: 'paused',
  message: 'The vendor is still at work.',
  next: phrase`${faces('The same command asks again', 'Try again: that asks')} for its answer, and sends
    nothing twice.`,
});

/** Reads both by the dialect that is proposed, so that their batches are over and cost what they say. */
async function readAgain(
  line: Line,
  { dialect }: Proposal,
  rows: readonly RowInput[],
): Promise<readonly (Tried | undefined)[]> {
  const tried: (Tried | undefined)[] = [];
  for (const given of rows) {
    const trial = await trialFor(line, given, undefined, dialect);
    const { record, spent } = await ask(line, trial, readAnew);
    tried.push(record && { trial, record, spent });
  }
  return tried;
}

// -------------------------------------------------------------------------------------------------- consent

/** @param requests how many are left to send. @throws StopError `consent`. */
async function requireYes({ input, most, host }: Line, requests: number): Promise<void> {
  const all = requests * most;
  const { yes, budget = yes === true ? all : -1 } = input;
  if (all <= budget || requests === 0) return;
  const cost = all === 0 ? 'which should cost nothing' : `for at most ${counted(all, 'credit')}`;
  const whom = requests === 2 ? 'two requests, the second about an invented name' : 'one request';
  if (budget < 0 && (await mayBeSent(host.console, `Send ${whom}, ${cost}?`))) return;
  const fact = `This would send ${whom}, ${cost}, and you have not agreed.`;
  const next = phrase`Agree${typing` on a terminal, or ${byFlag('--budget', all)}`}.`;
  throw new StopError({ code: 'consent', message: fact, next, choices: [agreeing('ask it')] });
}

/** The stop where the first answer cost more than was agreed to for the second, and no one agrees to that. */
async function tooDear({ input, most, host, words }: Line, { reply }: Heard): Promise<StopObject | null> {
  const price = Math.ceil(costIn(reply)?.amount ?? 0);
  if (price <= most) return null;
  const cost = counted(price, 'credit');
  const isFixed = input.budget !== undefined || input.yes === true;
  if (!isFixed && (await mayBeSent(host.console, `The first cost ${cost}. Send the second, for as many?`)))
    return null;
  const budget = 2 * price;
  return stopShown({
    code: 'budget',
    message: `The first answer cost ${cost}, and at most ${most} may be spent on the second request.`,
    next: phrase`Give both at least ${faces(asFlag('--budget', budget), counted(budget, 'credit'))}: the
      first is not asked again.`,
    nextCommand: commandLine(withOption(words, '--budget', budget)),
  });
}

/** The answers that the ledger has to the questions; one that is no answer is none. */
async function keptOf(
  line: Line,
  rows: readonly RowInput[],
  later: Later | undefined,
): Promise<readonly (AttemptRecord | undefined)[]> {
  const ledger = await lookIfThere(chooseStore(line.input.store, false).location, line.host.console.warn);
  if (ledger === undefined) return rows.map(() => undefined);
  try {
    const keptRecords: (AttemptRecord | undefined)[] = [];
    for (const given of rows) {
      const trial = await trialFor(line, given, later);
      keptRecords.push(
        await keptIn(ledger, { ...trial, account: await knownAccount(trial.account, ledger) }),
      );
    }
    return keptRecords;
  } finally {
    await ledger.close();
  }
}

async function keptIn(ledger: LedgerReader, { account, call }: Trial): Promise<AttemptRecord | undefined> {
  const [state] = await ledger.find([callKeyOf(account.identity, call)]);
  const attempt =
    state?.kind === 'answered'
      ? state.answer.attempt
      : state?.kind === 'in_doubt'
        ? state.doubt.attempt
        : undefined;
  const [record] = attempt === undefined ? [] : await ledger.attempts([attempt]);
  return record?.reply === undefined ? undefined : record;
}

// ----------------------------------------------------------------------------- a vendor that answers later

/** Whether it is the first answer of a vendor that answers later, and not the one that was waited for. */
const isFirst = (record: AttemptRecord, later: Later | undefined): boolean =>
  later !== undefined && (record.vendorId === undefined || isAtWork(record));

/** How the answer is asked for later; undefined where it is there. */
async function laterShown(line: Line, { trial, record }: Tried, given: RowInput): Promise<Later | undefined> {
  const { draft, input } = line;
  const { reply } = record;
  if (reply === undefined || Math.floor(reply.status / 100) !== 2) return undefined;
  if (Object.keys(foundIn(draft.operation, { given, reply })).length > 0) return undefined;
  const { idAt } = laterLackOf(reply, trial.dialect, trial.call);
  if (idAt === undefined || hasPlace(reply, wantedOf(draft.operation))) return undefined;
  return laterFrom(draft, reply, idAt, input.later);
}

/** A place for what is looked for, with nothing in it: the vendor has looked already. */
const hasPlace = (reply: NonNullable<AttemptRecord['reply']>, wanted: string | undefined): boolean =>
  wanted !== undefined &&
  new RegExp(`"\\w*${wanted}\\w*"\\s*:\\s*(?:null|""|\\[\\])`, 'i').test(JSON.stringify(jsonOf(reply)));

/** The place of the id is known from the first answer alone, which the later one replaces. */
const noteOf = ({ input, draft, name }: Line): string => {
  const { location } = chooseStore(input.store, false);
  const of = hash('sha256', JSON.stringify([name, draft.origin, draft.operation, draft.entry]), 'hex');
  return join(spoolFolder(location), `${of}.later.json`);
};

async function laterNoted(line: Line): Promise<Later | undefined> {
  const text = await readFile(noteOf(line), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const later: Later = JSON.parse(text);
  const { input, draft } = line;
  if (input.later === undefined) return later;
  const reply = { status: 200, headers: {}, body: Buffer.from('{}'), receivedAtMs: 0 };
  return laterFrom(draft, reply, later.id, input.later);
}

async function noteLater(line: Line, later: Later): Promise<void> {
  const path = noteOf(line);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, 0o600, [JSON.stringify(later)]);
}
