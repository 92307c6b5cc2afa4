import { askedText, callKeyOf } from '../core/call-key.ts';
import type { Call, JsonObject, TellsApart } from '../core/operation.ts';
import { inputOf, stepsOf, wordsOf } from '../core/steps.ts';
import type { OpenedInput } from '../files/input.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch, CallState } from '../ledger/ledger.ts';
import { HashPlaces } from '../lib/hash-places.ts';
import { textHash } from '../lib/text-hash.ts';
import { mayTellApart } from '../operations/lookup/waterfall.ts';
import { formOf } from '../values/same-profile.ts';
import { askedAnew } from './asked-anew.ts';
import { type AskedCall, findCalls, freshSinceOf, startMsOf } from './known-calls.ts';
import { accountsOf, type PlanContext, type ToldApart } from './resolved-job.ts';
import { rowPreparer } from './row-preparer.ts';

/**
 * Which questions of a list are not asked as they are: several rows ask them, which an ABN or a profile tells
 * apart, and the vendor takes that. What was bought before is not bought again, so a question that the ledger
 * knows stays. They are found once, when the batch begins, and kept with it: so every run of it, on any
 * machine, asks the same calls.
 */

const NONE_APART: ToldApart = new Set();

/** Sixteen hex digits for what a call asks, whatever account it is asked of. */
function questionOf(call: Call): string {
  const callText = askedText(call);
  const digits = [textHash(callText), textHash(callText, OTHER_SEED)].map((each) => each.toString(16));
  return digits.map((each) => each.padStart(8, '0')).join('');
}

const OTHER_SEED = 0x2545f491;

/** Undefined where no row is told apart, so that nothing is worked out for it. */
export const tellsApartBy = (apart: ToldApart | undefined): TellsApart | undefined =>
  apart === undefined || apart.size === 0 ? undefined : (askedCall) => apart.has(questionOf(askedCall));

/** None also of a batch that an earlier program began: it goes on as it began. */
export const toldApartKept = ({ settings }: Pick<Batch, 'settings'>): ToldApart =>
  new Set(settingsKept(settings).told_apart);

export const toldApartSettings = (apart: ToldApart = NONE_APART): JsonObject =>
  apart.size === 0 ? {} : { told_apart: [...apart] };

/** The questions that the batch of a list has kept, or else those of the list, which is read for them. */
export async function toldApartIn(
  context: PlanContext,
  input: Pick<OpenedInput, 'columns' | 'sheet'>,
  existing: Pick<Batch, 'settings'> | undefined,
): Promise<ToldApart> {
  if (existing !== undefined) return toldApartKept(existing);
  const survey = questionSurveyOf(context, input);
  if (survey === undefined) return NONE_APART;
  await hearQuestions(context, input, survey.tellsApart);
  const callsByQuestion = survey.found();
  const known = await knownIn(context, [...callsByQuestion.values()]);
  const open = [...callsByQuestion].filter(([, call]) => !known.has(call)).map(([question]) => question);
  if (known.size === 0) return new Set(open);
  const questions = new Set([...callsByQuestion.keys()].filter((question) => !open.includes(question)));
  return new Set([...open, ...(await toldBefore(context, input, questions))]);
}

/** Undefined where the job asks nothing of the list by which rows could be told apart. */
export function questionSurveyOf(
  { job }: Pick<PlanContext, 'job'>,
  { columns }: Pick<OpenedInput, 'columns'>,
): { readonly tellsApart: TellsApart; found(): ReadonlyMap<string, Call> } | undefined {
  const { operation, waterfall = [] } = job;
  if (operation.change !== undefined) return undefined;
  const mapped = Object.keys(columns.columns).map(inputOf);
  const mayBe = stepsOf(operation).some((step) => {
    const ownWaterfall = operation.steps === undefined ? waterfall : wordsOf(step, waterfall);
    const ways = step.askedOperations?.map((way) => way.operation) ?? [step];
    return ways.some(({ by, tiers }) =>
      mayTellApart(ownWaterfall.length > 0 ? ownWaterfall : (by ?? tiers), mapped),
    );
  });
  if (!mayBe) return undefined;
  const survey = new QuestionSurvey();
  return {
    tellsApart(call, by) {
      survey.add(call, by);
      return false;
    },
    found: () => survey.toldApart(),
  };
}

async function hearQuestions(
  context: PlanContext,
  { columns, sheet }: Pick<OpenedInput, 'columns' | 'sheet'>,
  tellsApart: TellsApart,
): Promise<void> {
  const prepare = rowPreparer(context, columns, context.shared, tellsApart);
  for await (const group of sheet.groups()) for (const row of group) prepare(row);
}

/** Those of the calls that would not be bought now: an account of the job has an answer or a doubt. */
async function knownIn(context: PlanContext, calls: readonly Call[]): Promise<ReadonlySet<Call>> {
  const { ledger, job } = context;
  // A row that is asked again by itself is asked by what told it apart before.
  const refresh = context.refresh === true && askedAnew(context) === undefined;
  if (ledger === undefined || calls.length === 0) return new Set();
  const createdAtMs = await startMsOf(context, ledger);
  const freshSince = freshSinceOf(job, refresh, createdAtMs);
  const freshFor = freshSince === undefined ? {} : { freshSince, createdAtMs };
  const askedCalls: AskedCall[] = accountsOf(context).flatMap((by) =>
    calls.map((call) => ({ key: callKeyOf(by.account.identity, call), call, by })),
  );
  const found = await findCalls<CallState<'kind'>>(askedCalls, ledger, (keys) =>
    ledger.find(keys, { detail: 'kind', freshFor }),
  );
  return new Set(found.filter(({ state }) => !isBoughtNow(state)).map(({ call }) => call));
}

const isBoughtNow = (state: CallState<'kind'>): boolean =>
  state.kind === 'unknown' || (state.kind === 'answered' && state.answer.isTooOld === true);

/** So many calls of the rows of a question are looked up. */
const MOST_CALLS = 4;

/**
 * The questions whose rows were told apart before: their own calls are bought, as when a list has grown. The
 * question itself may be known too, because a row that has nothing else has asked it.
 */
async function toldBefore(
  context: PlanContext,
  input: Pick<OpenedInput, 'columns' | 'sheet'>,
  questions: ReadonlySet<string>,
): Promise<readonly string[]> {
  const callsByQuestion = new Map<string, Map<string, Call>>();
  await hearQuestions(context, input, (askedCall, by) => {
    const question = questionOf(askedCall);
    const calls = callsByQuestion.get(question) ?? new Map<string, Call>();
    if (questions.has(question) && calls.size < MOST_CALLS)
      callsByQuestion.set(question, calls.set(questionOf(by), by));
    return false;
  });
  const known = await knownIn(
    context,
    [...callsByQuestion.values()].flatMap((calls) => [...calls.values()]),
  );
  return [...callsByQuestion]
    .filter(([, calls]) => [...calls.values()].every((call) => known.has(call)))
    .map(([q]) => q);
}

// ----------------------------------------------------------------------------------------------- the survey

/** Questions after these are not looked at. */
const MOST_QUESTIONS = 2 ** 18;
const MOST_TALLIES = 50_000;
/** A batch keeps no more of them; the rows of the others share an answer, and say so. */
const MOST_TOLD = 5_000;

/** What is kept of a question: the hashes of the ABN, and of the form and word of the profile. */
const FIELDS = 3;

interface Tally {
  readonly askedCall: Call;
  /** The hash of what stood there first, by its form. */
  readonly first: Map<number, number>;
  isToldApart: boolean;
}

/**
 * Questions whose rows have one ABN and one profile, as nearly all have, are kept as numbers at the place
 * that their hash chooses, or at the next free one.
 */
class QuestionSurvey {
  readonly #places = new HashPlaces(FIELDS, MOST_QUESTIONS);
  readonly #tallies = new Map<string, Tally>();

  add(askedCall: Call, by: Call): void {
    const text = alike(askedCall);
    const [hash, place] = [textHash(text), textHash(text, OTHER_SEED)];
    const hashes = hashesOf(by);
    const at = this.#places.at(hash, place);
    if (this.#places.isFree(at)) this.#places.keep(at, hash, place, hashes);
    else if (this.#places.numbersAt(at).some((each, field) => each !== hashes[field]))
      this.#compare(at, askedCall, hashes);
  }

  /** A row has another ABN or profile than the first one that asked the same. */
  #compare(at: number, askedCall: Call, hashes: Hashes): void {
    const question = questionOf(askedCall);
    let tally = this.#tallies.get(question);
    if (tally === undefined) {
      if (this.#tallies.size >= MOST_TALLIES) return;
      tally = { askedCall, first: new Map(), isToldApart: false };
      this.#tallies.set(question, tally);
      const [number = 0, form = 0, profile = 0] = this.#places.numbersAt(at);
      noteAll(tally, [number, form, profile]);
    }
    noteAll(tally, hashes);
  }

  toldApart(): ReadonlyMap<string, Call> {
    const apartTallies = [...this.#tallies].filter(([, { isToldApart }]) => isToldApart).slice(0, MOST_TOLD);
    return new Map(apartTallies.map(([question, { askedCall }]) => [question, askedCall]));
  }
}

/** 0 stands for none. */
type Hashes = readonly [number: number, form: number, profile: number];

/** The form of every ABN. */
const ABN = 1;

function noteAll(tally: Tally, [number, form, profile]: Hashes): void {
  note(tally, ABN, number);
  note(tally, form, profile);
}

function note(tally: Tally, form: number, value: number): void {
  if (value === 0) return;
  const known = tally.first.get(form);
  if (known === undefined) tally.first.set(form, value);
  else if (known !== value) tally.isToldApart = true;
}

/** Equal questions have equal texts. The text of a key would take as long as half of planning the row. */
function alike({ operation, parameters }: Call): string {
  let text = operation;
  for (const value of Object.values(parameters)) if (typeof value === 'string') text += `,${value}`;
  return text.toLowerCase();
}

function hashesOf({ parameters }: Call): Hashes {
  const { abn, profile_url: page, profile_slug: slug } = parameters;
  const number = typeof abn === 'string' ? textHash(abn) : 0;
  const address = typeof slug === 'string' ? `https://www.linkedin.com/in/${slug}` : page;
  const profile = typeof address === 'string' ? formOf(address) : undefined;
  if (profile === undefined) return [number, 0, 0];
  return [number, textHash(`${profile.place} ${profile.form}`), textHash(profile.value)];
}
