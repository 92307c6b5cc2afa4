import { parse } from 'yaml';
import { readBody, valueAt } from '../../core/answer-body.ts';
import { describedCall } from '../../core/described.ts';
import { EMAIL_VERDICTS, type EmailVerdict, isCheck, wantedOf } from '../../core/given.ts';
import { present } from '../../core/objects.ts';
import type { Call, JsonObject, JsonValue, RowInput } from '../../core/operation.ts';
import { counted, foreignName } from '../../core/plain-text.ts';
import type { Reply } from '../../ledger/ledger.ts';
import { holdsNothing } from '../../values/blank.ts';
import { type Dialect, dialectOperationOf, type Later, type OwnDialect, ownDialect } from '../dialect.ts';
import { judge, ruleThatReads } from '../judge.ts';
import { exampleOf } from './examples.ts';
import {
  leavesOf,
  type Place,
  placesIn,
  plainName,
  VERDICT_WORDS,
  verdictOf,
  verdictPlaces,
} from './places.ts';
import type { RequestDraft } from './request-draft.ts';

/** What two answers of a vendor say of its dialect: one about a person or company that it knows, one about an
 * invented one. */

/** An answer, and the question. */
export interface Heard {
  readonly given: RowInput;
  readonly call: Call;
  readonly reply: Reply;
}

export interface Proposal {
  readonly dialect: OwnDialect;
  /** Where our values stand in the first answer. */
  readonly places: Readonly<Record<string, Place>>;
  /** What each answer is by the dialect; undefined: it is neither. */
  readonly found: 'found' | 'no_match' | undefined;
  readonly missed: 'found' | 'no_match' | undefined;
  /** What a person has to know before the dialect is used. */
  readonly notes: readonly string[];
}

export const jsonOf = (reply: Reply): JsonValue | undefined => {
  const body = readBody(reply.body);
  return body.kind === 'json' ? body.value : undefined;
};

const askedOf = ({ given }: Pick<Heard, 'given'>): readonly string[] =>
  Object.values(given).map((value) => value.trim().toLowerCase());

/** Where our values stand; none: the answer has nothing of what is looked for. */
export function foundIn(
  operation: string,
  answered: Pick<Heard, 'given' | 'reply'>,
): Readonly<Record<string, Place>> {
  const answer = jsonOf(answered.reply);
  const isSuccess = Math.floor(answered.reply.status / 100) === 2;
  if (answer === undefined || !isSuccess) return {};
  if (isCheck(operation)) {
    const [verdict] = verdictPlaces(answer);
    return verdict === undefined ? {} : { verdict };
  }
  const places = placesIn(operation, answer, askedOf(answered));
  const wanted = wantedOf(operation);
  return wanted !== undefined && places[wanted] === undefined ? {} : places;
}

// ----------------------------------------------------------------------------------- before it has answered

/** Words by which a vendor says that it is at work, at any place of an answer. */
const AT_WORK =
  '"\\w*(?:status|state|message|reason)"\\s*:\\s*"[^"]{0,40}\\b(?:in[ _-]?progress|pending|queued|processing|running|started|searching|waiting|working|scheduled|submitted|not[ _-](?:ready|finished)|try again)';

/**
 * The dialect by which the first answers are asked for. No one knows yet where their values stand, so the
 * table decides. A find is booked at one credit, or at what the answer says. The proposed dialect reads it
 * again, and a new reading may only raise what was booked.
 */
export function trialDialect(draft: RequestDraft, name: string, most: number, later?: Later): OwnDialect {
  const { operation, entry } = draft;
  const wanted = wantedOf(operation);
  return {
    name,
    vendor: 'provider',
    ...accessOf(draft),
    operations: {
      [operation]: {
        ...entryShown(entry),
        // A file has to say where it stands. `onTrial` takes it out again.
        ...(wanted === undefined ? {} : { gives: { [wanted]: wanted } }),
        ...(isCheck(operation) ? { verdicts: { valid: 'valid' } } : {}),
        credits: { most, found: Math.min(1, most) },
        ...present({ later }),
      },
    },
    answers: [{ status: ['2xx'], body: { matches: AT_WORK }, means: 'pending' }],
  };
}

const accessOf = ({ headers, auth }: RequestDraft) => ({
  ...(Object.keys(headers).length > 0 && { headers }),
  ...(auth && { auth: { basic: [...auth.basic] } }),
});

/** The dialect on trial, which does not know where values stand. */
export function onTrial(dialect: Dialect, operation: string): Dialect {
  const { [operation]: entry, ...others } = dialect.operations;
  if (entry === undefined) return dialect;
  const { gives: _, verdicts: _verdicts, ...entryMembers } = entry;
  return { ...dialect, operations: { ...others, [operation]: entryMembers } };
}

const entryShown = ({ method, path, by, fields, body }: RequestDraft['entry']) => ({
  method,
  path,
  by: [...by],
  ...(Object.keys(fields).length > 0 && { fields }),
  ...(Object.keys(body).length > 0 && { body: body as Record<string, string> }),
});

// ------------------------------------------------------------------------------------------ what it proposes

interface Asked {
  readonly draft: RequestDraft;
  readonly name: string;
  /** What is reserved for a call. */
  readonly most: number;
  readonly later: Later | undefined;
}

/** @param means a person says what the second answer means. */
export async function proposalFrom(
  judgedCall: Asked,
  found: Heard,
  miss: Heard,
  means?: 'no_match',
): Promise<Proposal> {
  const { draft } = judgedCall;
  const { operation } = draft;
  const places = placesKept(operation, foundIn(operation, found), jsonOf(miss.reply));
  const first = dialectWith(judgedCall, places, found, miss, []);
  const rules = rulesFor(judgedCall, await ownDialect(first), { found, miss }, means);
  const plain = dialectWith(judgedCall, places, found, miss, rules);
  const dialect = await ownDialect(plain);
  const verdicts = { found: answerBy(dialect, found), miss: answerBy(dialect, miss) };
  const examples = [
    exampleOf(dialect, operation, found, places, { means: 'found', isNobody: false }),
    exampleOf(dialect, operation, miss, isCheck(operation) ? placesOfCheck(plain, operation, miss) : {}, {
      means: isCheck(operation) ? 'found' : 'no_match',
      isNobody: true,
    }),
  ].flatMap((each) => each ?? []);
  const ownEntry = examples.length === 0 ? plain : { ...plain, examples };
  return {
    dialect: ownEntry,
    places,
    found: verdicts.found,
    missed: verdicts.miss,
    notes: notesOn(judgedCall, places, verdicts, miss),
  };
}

function placesOfCheck(
  { operations }: OwnDialect,
  operation: string,
  { reply }: Heard,
): Readonly<Record<string, Place>> {
  const path = String(operations?.[operation]?.gives?.verdict ?? '');
  return { verdict: { path, value: valueAt(jsonOf(reply), path) ?? null } };
}

/** A lookup of any fact would believe a miss that repeats one, so such a place is left out. */
function placesKept(
  operation: string,
  places: Readonly<Record<string, Place>>,
  miss: JsonValue | undefined,
): Readonly<Record<string, Place>> {
  if (wantedOf(operation) !== undefined) return places;
  return Object.fromEntries(
    Object.entries(places).filter(([, { path }]) => holdsNothing(valueAt(miss, path))),
  );
}

function dialectWith(
  { draft, name, most, later }: Asked,
  places: Readonly<Record<string, Place>>,
  found: Heard,
  miss: Heard,
  rules: readonly JsonObject[],
): OwnDialect {
  const { operation, entry } = draft;
  const gives = Object.fromEntries(Object.entries(places).map(([ours, { path }]) => [ours, path]));
  const verdicts = verdictsFor(operation, places, found, miss);
  const cost = costIn(found.reply);
  const missCost = cost && amountAt(miss.reply, cost);
  const price = Math.ceil(cost?.amount ?? most);
  const entryOf = {
    ...entryShown(entry),
    ...(Object.keys(gives).length > 0 && { gives: { ...gives, ...verdicts.gives } }),
    ...present({ verdicts: verdicts.words }),
    credits: {
      most: Math.max(price, Math.ceil(missCost ?? 0), cost === undefined ? most : 0),
      found: price,
      ...(missCost !== undefined && missCost > 0 && { miss: Math.ceil(missCost) }),
    },
    ...present({ later }),
  };
  return {
    name,
    vendor: 'provider',
    ...accessOf(draft),
    ...present({ fields_at: fieldsAt(operation, places), credits_charged: cost?.at }),
    operations: { [operation]: entryOf },
    ...(rules.length > 0 && { answers: rules as unknown as NonNullable<OwnDialect['answers']> }),
  } as OwnDialect;
}

/** The object in which all that was found stands, where there is one around several values. */
function fieldsAt(operation: string, places: Readonly<Record<string, Place>>): string | undefined {
  const paths = Object.values(places).map(({ path }) => path.split('.').slice(0, -1));
  const [first = []] = paths;
  if (paths.length < 2 || isCheck(operation) || paths.some((path) => path.join().includes('[')))
    return undefined;
  let depth = 0;
  while (depth < first.length && paths.every((path) => path[depth] === first[depth])) depth += 1;
  const shared = first.slice(0, depth);
  return shared.length === 0 || shared.some((each) => /^\d+$/.test(each)) ? undefined : shared.join('.');
}

interface Verdicts {
  readonly gives?: { readonly verdict: string };
  readonly words?: Record<string, string | boolean | readonly (string | boolean)[]>;
}

/** The words of a check; beside an address that was found, those of a verdict next to it. */
function verdictsFor(
  operation: string,
  places: Readonly<Record<string, Place>>,
  found: Heard,
  miss: Heard,
): Verdicts {
  if (isCheck(operation)) {
    const { path } = checkedPlace(places, found, miss);
    const good = valueAt(jsonOf(found.reply), path);
    const bad = valueAt(jsonOf(miss.reply), path);
    return { gives: { verdict: path }, words: wordsWith(good, bad) };
  }
  if (describedCall(operation).finds !== 'email') return {};
  const parent = (places.email?.path ?? '').split('.').slice(0, -1).join('.');
  const isWord = (value: JsonValue): boolean =>
    typeof value === 'string' && !/^(?:ok|good)$/i.test(value) && verdictOf(value) !== undefined;
  const beside = verdictPlaces(jsonOf(found.reply) ?? null).find(
    ({ path, value }) => isWithin(path, parent) && isWord(value),
  );
  if (beside === undefined) return {};
  return { gives: { verdict: beside.path }, words: wordsWith(beside.value, undefined) };
}

const isWithin = (path: string, parent: string): boolean => parent === '' || path.startsWith(`${parent}.`);

/** Where both answers say another word, or else where the first one says that mail arrives. */
function checkedPlace(places: Readonly<Record<string, Place>>, found: Heard, miss: Heard): Place {
  const other = jsonOf(miss.reply);
  const all = verdictPlaces(jsonOf(found.reply) ?? null);
  const differs = ({ path, value }: Place): boolean => {
    const beside = valueAt(other, path);
    return beside !== undefined && beside !== value;
  };
  return (
    all.find((each) => differs(each) && verdictOf(each.value) === 'valid') ??
    all.find(differs) ??
    places.verdict ?? { path: 'status', value: null }
  );
}

/** The two words that were seen, in front of those that vendors have for the others. */
function wordsWith(good: JsonValue | undefined, bad: JsonValue | undefined): NonNullable<Verdicts['words']> {
  if (typeof good === 'boolean') return { valid: good, invalid: !good };
  const seen = new Map<EmailVerdict, string[]>();
  const add = (word: JsonValue | undefined, usual: EmailVerdict): void => {
    if (typeof word !== 'string' || word.trim() === '') return;
    const verdict = verdictOf(word) ?? usual;
    seen.set(verdict, [...(seen.get(verdict) ?? []), word]);
  };
  add(good, 'valid');
  if (bad !== good) add(bad, 'invalid');
  const words: Record<string, string | readonly string[]> = {};
  for (const verdict of EMAIL_VERDICTS) {
    const usual = VERDICT_WORDS[verdict].filter((word) => word !== 'true' && word !== 'false');
    const seenExamples = seen.get(verdict) ?? [];
    const others = usual.filter((word) => !seenExamples.some((each) => each.toLowerCase() === word));
    words[verdict] = [...seenExamples, ...others];
  }
  return words;
}

// -------------------------------------------------------------------------------------------- the rules

function answerBy(dialect: Dialect, { reply, call }: Heard): 'found' | 'no_match' | undefined {
  const { later: _, ...operation } = dialectOperationOf(dialect, call);
  const verdict = judge({ kind: 'answered', raw: reply }, dialect, operation, call);
  if (verdict.kind !== 'answered') return undefined;
  return verdict.answer === 'found' || verdict.answer === 'no_match' ? verdict.answer : undefined;
}

/** The rules that both answers need beside the table. */
function rulesFor(
  judgedCall: Asked,
  dialect: Dialect,
  { found, miss }: { readonly found: Heard; readonly miss: Heard },
  means: 'no_match' | undefined,
): readonly JsonObject[] {
  const rules: JsonObject[] = [];
  const add = (answered: Heard, meaning: 'found' | 'no_match'): void => {
    const text = ruleThatReads(answered.reply, dialect, answered.call, meaning);
    if (text !== undefined) rules.push(parse(text)[0] as JsonObject);
  };
  if (!isCheck(judgedCall.draft.operation) && (means === 'no_match' || mayBeMiss(dialect, judgedCall, miss)))
    add(miss, 'no_match');
  if (answerBy(dialect, found) !== 'found') add(found, 'found');
  return rules;
}

/**
 * Whether an answer that the table reads as something else may be the vendor's way to say that it knows no
 * one: a success without what is looked for.
 */
function mayBeMiss(dialect: Dialect, judgedCall: Asked, miss: Heard): boolean {
  if (answerBy(dialect, miss) !== undefined) return false;
  const { status } = miss.reply;
  return status >= 200 && status < 300 && Object.keys(foundIn(judgedCall.draft.operation, miss)).length === 0;
}

// -------------------------------------------------------------------------------------------- what it costs

interface Cost {
  readonly at: { readonly header?: string; readonly path?: string };
  readonly amount: number;
}

const COST_HEADER =
  /credits?.*(?:cost|charged|spent|used|consumed)|(?:cost|charged).*credits?|^x-(?:call-)?credits?$/;
const COST_NAME =
  /^(?:api)?credits?(?:consumed|charged|spent|used|cost|burned)$|^creditburn(?:ed)?$|^cost(?:credits|incredits)?$|^creditcost$/;

/** Where an answer says what it cost. */
export function costIn(reply: Reply): Cost | undefined {
  for (const [header, text] of Object.entries(reply.headers)) {
    const amount = amountIn(text);
    if (COST_HEADER.test(header) && amount !== undefined) return { at: { header }, amount };
  }
  for (const { keys, value } of leavesOf(jsonOf(reply) ?? null)) {
    const amount = amountIn(value);
    const names = keys.map(plainName);
    const isCost = COST_NAME.test(names.at(-1) ?? '') || COST_NAME.test(names.slice(-2).join(''));
    if (isCost && amount !== undefined && !keys.some((key) => /^\d+$/.test(key)))
      return { at: { path: keys.join('.') }, amount };
  }
  return undefined;
}

/** Numbers above this are balances. */
const MOST_COST = 1_000;

function amountIn(value: JsonValue | undefined): number | undefined {
  const amount = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  return typeof amount === 'number' && amount >= 0 && amount <= MOST_COST ? amount : undefined;
}

function amountAt(reply: Reply, { at }: Cost): number | undefined {
  if (at.header !== undefined) return amountIn(reply.headers[at.header]);
  return at.path === undefined ? undefined : amountIn(valueAt(jsonOf(reply), at.path));
}

// -------------------------------------------------------------------------------------------- what to know

function notesOn(
  { draft, most }: Asked,
  places: Readonly<Record<string, Place>>,
  { found, miss: missed }: { readonly found: string | undefined; readonly miss: string | undefined },
  miss: Heard,
): readonly string[] {
  const { operation, remainingNames } = draft;
  const notes: string[] = [...draft.notes];
  if (Object.keys(places).length === 0)
    notes.push('The first answer has none of the values that are looked for.');
  else if (found !== 'found')
    notes.push('The first answer has nothing that shows a match, so no rule can read it as found.');
  if (!isCheck(operation) && missed === 'found')
    notes.push('The vendor found something for an invented person or company: check the second answer.');
  else if (missed === undefined)
    notes.push(
      `The second answer, status ${miss.reply.status}, is not read as a miss. If it is one, add --means no_match.`,
    );
  if (remainingNames.length > 0)
    notes.push(
      `Not sent, because a line of another row has others: ${remainingNames.map((name) => foreignName(name)).join(', ')}.`,
    );
  if (costIn(miss.reply) === undefined)
    notes.push(
      `No answer says what it cost: ${counted(most, 'credit')} at most is written; correct it if you know the price.`,
    );
  return notes;
}
