import { requestsPerSecond } from '../client/account/account.ts';
import { dialectOperationOf, noMatchPrice, thenOf } from '../client/dialect.ts';
import { sayAll } from '../core/finding-words.ts';
import type { Findings } from '../core/findings.ts';
import { isCheck, isTaking, wantedOf } from '../core/given.ts';
import { type Money, moneyFor, moneyIn } from '../core/money.ts';
import { present } from '../core/objects.ts';
import { lastOfFirst, RowCount, type RowNumber } from '../core/row.ts';
import { stepsOf } from '../core/steps.ts';
import { CALLED } from '../files/output/summary-words.ts';
import { identifierOf } from '../files/output/tally.ts';
import { policyOfStep } from '../job/job.ts';
import { ASKED_OFTEN_ENOUGH, type BatchId } from '../ledger/ledger.ts';
import type { PlannedCostObject } from '../objects/batch-view.ts';
import type { PlanFigures, PlannedStepObject, PlanSoFar, ReasonObject } from '../objects/plan-object.ts';
import checkEmail from '../operations/check-email.ts';
import { askedAnew, endsOpenBatch } from '../walk/asked-anew.ts';
import { askedBefore } from '../walk/asked-before.ts';
import { type Conditions, SkippedBy } from '../walk/filling.ts';
import { freshSinceOf, hasGoneStale, startMsOf } from '../walk/known-calls.ts';
import { VERDICT } from '../walk/met-call.ts';
import { type AskedAccount, accountsOf, type PlanContext } from '../walk/resolved-job.ts';
import {
  type AccountCall,
  type CallLeft,
  classifications,
  type LookupResult,
  type PlannedBatch,
  type RowClassification,
  type StepLeft,
  type Surveys,
  type UsableAnswer,
} from '../walk/row-classification.ts';
import { questionSurveyOf, toldApartIn } from '../walk/told-apart.ts';
import { newestBatch, type PlannedInput } from './batch-key.ts';
import { EachRow } from './each-row.ts';
import { hostSurveyOf, hostsOf, sharedHostsKept } from './shared-hosts.ts';

/**
 * The dry run: it says what a batch would buy, at most and probably, and never sends anything. It counts each
 * row once: as invalid, as a duplicate of an earlier row, as bought before, as in doubt, or as to buy.
 */
export interface Plan extends PlanFigures {
  /**
   * For a run of a sample, or of the first rows alone: the part of the list that the run buys or sends again.
   */
  readonly part?: SentAgain;
}

/** Rows whose calls are sent, and the most that these cost. */
export interface SentAgain {
  readonly rows: number;
  readonly most: number;
  /** The most in money. */
  readonly cost?: Money[];
}

export const againIn = (again: SentAgain | undefined): Pick<Plan, 'sent_again'> =>
  again === undefined ? {} : { sent_again: { rows: again.rows, credits: again.most } };

/** Hears what becomes of each row. */
export type Listener = (classification: RowClassification) => void;

/**
 * Where no one has read the list yet for shared hosts, and for rows that are told apart, it is read again in
 * the rare case that it has some.
 * @param begin gives who hears of the rows, each time that the list is read from its beginning.
 */
export async function planRows(
  context: PlanContext,
  input: PlannedInput,
  begin?: () => Listener,
): Promise<Plan> {
  const existing = await newestBatch(context, input);
  if (context.before === undefined) {
    const before = await askedBefore(context, input, await plannedBatchOf(context, input), existing);
    if (before !== undefined) return planRows({ ...context, before }, input, begin);
  }
  if (existing === undefined) return planAnew(context, input, begin);
  const known = context.shared ?? (existing && sharedHostsKept(existing));
  const shared = known ?? (await hostsOf(context, input, existing)).aside;
  const apart = context.apart ?? (await toldApartIn({ ...context, shared }, input, existing));
  return planOnce({ ...context, shared, apart }, input, begin);
}

/** Reads the list for both while it is planned, because most lists have neither. */
async function planAnew(
  context: PlanContext,
  input: PlannedInput,
  begin: (() => Listener) | undefined,
): Promise<Plan> {
  const hosts = context.shared === undefined ? hostSurveyOf(context, input) : undefined;
  const questions = context.apart === undefined ? questionSurveyOf(context, input) : undefined;
  const plan = await planOnce(context, input, begin, { row: hosts?.add, question: questions?.tellsApart });
  const { aside } = hosts?.found() ?? {};
  const shared = aside ?? context.shared;
  const isShared = questions !== undefined && questions.found().size > 0;
  const apart = isShared ? await toldApartIn({ ...context, shared }, input, undefined) : undefined;
  const isMoved = (aside?.size ?? 0) > 0 || (apart?.size ?? 0) > 0;
  return isMoved ? planOnce({ ...context, shared, apart: apart ?? context.apart }, input, begin) : plan;
}

async function planOnce(
  context: PlanContext,
  input: PlannedInput,
  begin?: () => Listener,
  surveys?: Surveys,
): Promise<Plan> {
  const listen = begin?.();
  const pricing = await pricingOf(context);
  const draft = new RowDraft(pricing, context.job);
  const each = context.each === true ? new EachRow() : undefined;
  const firstRows = context.limit === undefined ? undefined : new RowDraft(pricing);
  const lastRow = lastOfFirst(input.sheet.start, context.limit);
  const batch = await plannedBatchOf(context, input);
  for await (const group of classifications(context, input, batch, surveys)) {
    for (const classification of group) {
      draft.add(classification);
      each?.add(classification);
      if (classification.row <= lastRow) firstRows?.add(classification);
      listen?.(classification);
    }
    context.hearSoFar?.(() => draft.soFar());
  }
  const plan = draft.plan(batch.freshSince !== undefined);
  return { ...plan, ...present({ part: firstRows?.part(), each: each?.all() }) };
}

/**
 * What a run does that works only on these rows. It also buys calls that they share with a row before them.
 */
export function partOf(pricing: Pricing, rows: readonly LookupResult[]): SentAgain {
  const draft = new RowDraft(pricing);
  for (const row of rows)
    draft.add({
      ...row,
      remainingSteps: row.remainingSteps.map(({ isShared: _, ...step }): StepLeft => step),
    });
  return draft.part();
}

/** The most that a run over this plan may cost. A person is asked to agree to this sum. */
export function mostAsked({ part, credits }: Plan): number {
  return part?.most ?? credits.most;
}

/** The same sum in money. */
export function costAsked({ part, cost }: Plan): Money[] | undefined {
  return part === undefined ? cost?.most : part.cost;
}

/** Undefined where an account has no price. */
export const plannedCost = (most?: Money[], expected?: Money[]): PlannedCostObject | undefined =>
  most && { most, ...present({ expected }) };

/**
 * The batch that a run of this input would work on. An open batch resumes with the cut-offs that it began
 * with, and its own answers are fresh for it; otherwise a new batch would begin now.
 */
export async function plannedBatchOf(context: PlanContext, input: PlannedInput): Promise<PlannedBatch> {
  const { job, ledger, refresh = false } = context;
  if (ledger === undefined) return {};
  const existing = await newestBatch(context, input);
  if (existing?.state === 'open' && !endsOpenBatch(context, existing)) return existing;
  const { path: list } = input;
  const anew = askedAnew(context);
  const createdAtMs = await startMsOf(context, ledger);
  const freshSince = freshSinceOf(job, refresh, createdAtMs);
  const isStale = await hasGoneStale(ledger, existing, freshSince);
  return {
    list,
    ...(anew && { settings: { asked_anew: anew } }),
    ...(freshSince === undefined ? {} : { freshSince, createdAtMs }),
    ...present({ goesOn: isStale ? undefined : existing?.id }),
  };
}

export async function batchGoneOnWith(
  context: PlanContext,
  input: PlannedInput,
): Promise<BatchId | undefined> {
  const { id, goesOn } = await plannedBatchOf(context, input);
  return id ?? goesOn;
}

// -------------------------------------------------------------------------------------------------- counting

/**
 * Reasons quote the cell, so there may be as many reasons as rows. Only the first thousand are counted, and
 * the most frequent of these are enough.
 */
const MOST_REASONS = 1_000;

export class Reasons {
  readonly #found = new Map<string, { readonly findings: Findings; readonly rows: RowCount }>();

  add(row: RowNumber, findings: Findings): void {
    const reason = sayAll(findings, 'terminal');
    const entry = this.#found.get(reason) ?? { findings, rows: new RowCount() };
    entry.rows.add(row);
    if (entry.rows.count > 1 || this.#found.size < MOST_REASONS) this.#found.set(reason, entry);
  }

  /** Undefined where there is no reason. */
  all(): ReasonObject[] | undefined {
    const all = [...this.#found].map(
      ([
        reason,
        {
          findings,
          rows: { count, first_rows },
        },
      ]) => ({
        reason,
        findings: [...findings],
        says: sayAll(findings, 'page', CALLED),
        count,
        first_rows,
      }),
    );
    return all.length === 0 ? undefined : all.sort((a, b) => b.count - a.count);
  }
}

/** Steps of rows that ask about the same identifiers. Each of them costs the same. */
interface Alike {
  count: number;
  readonly first: StepRemainder;
}

function addAlike(kinds: Map<string, Alike>, remainder: StepRemainder): void {
  const kind = remainder.toAsk.map(askedBy).join();
  const alike = kinds.get(kind);
  if (alike === undefined) kinds.set(kind, { count: 1, first: remainder });
  else alike.count += 1;
}

const askedBy = ({ call, by }: AccountCall): string =>
  `${by.account.name} ${call.operation} ${identifierOf(call)}`;

function sum(kinds: readonly Alike[], of: (remainder: StepRemainder) => number): number {
  return kinds.reduce((total, { count, first }) => total + count * of(first), 0);
}

const stepName = ({ call, by }: AccountCall): string => `${by.account.name} ${call.operation}`;

/** What a step would ask of an account. */
interface StepDraft {
  readonly accountCall: AccountCall;
  reached: number;
  known: number;
  most: number;
  /** Not a number while the share of matches is not known. */
  expected: number;
}

const COUNTED_AS = {
  invalid: 'invalid',
  duplicate: 'duplicates',
  answered: 'bought_before',
  accepted: 'accepted',
  in_doubt: 'in_doubt',
  to_buy: 'to_buy',
} as const;

class AgreedRows {
  rows = 0;
  readonly kinds = new Map<string, Alike>();

  part(worst: (remainder: StepRemainder) => number): Plan['unanswered'] {
    const { rows, kinds } = this;
    return kinds.size === 0 ? undefined : { rows, credits: sum([...kinds.values()], worst) };
  }
}

class RowDraft {
  readonly #pricing: Pricing;
  readonly #reasons = new Reasons();
  readonly #identifiers = new Map<string, { asked: number; found: number }>();
  /** The answers that the ledger knows, counted by account and operation. */
  readonly #known = new Map<string, { readonly accountCall: AccountCall; readonly count: number }>();
  /**
   * The steps to buy, and those that may follow a later answer, grouped by their identifiers. A file has a
   * handful of such groups.
   */
  readonly #toBuy = new Map<string, Alike>();
  /** The steps in doubt that a run pays for again, grouped in the same way. */
  readonly #again = new Map<string, Alike>();
  #rowsAgain = 0;
  /** The rows that are bought again for a reason that a person agrees to, and what is left of them. */
  readonly #agreed = { unanswered: new AgreedRows(), asked_otherwise: new AgreedRows() };
  #counts = { rows: 0, invalid: 0, duplicates: 0, bought_before: 0, accepted: 0, in_doubt: 0, to_buy: 0 };
  #skipped = 0;
  #tooOld = 0;
  #setAside = 0;
  #toldApart = 0;

  readonly #skippedBy: SkippedBy;

  /** @param job counts the rows that it leaves out; left out: they are not told apart. */
  constructor(pricing: Pricing, job: Conditions = {}) {
    this.#pricing = pricing;
    this.#skippedBy = new SkippedBy(job);
  }

  add(classification: RowClassification): void {
    const { kind, row } = classification;
    this.#counts.rows += 1;
    if (kind === 'left_out') this.#skipped += 1;
    else if (kind === 'skipped') {
      this.#skipped += 1;
      this.#skippedBy.add(row, classification.by);
    } else this.#counts[COUNTED_AS[kind]] += 1;
    if (kind === 'invalid') {
      this.#reasons.add(row, classification.findings);
      if (classification.isSetAside) this.#setAside += 1;
    }
    if ('remainingSteps' in classification) this.#addLookedUp(classification);
  }

  #addLookedUp({ answers, remainingSteps, isToldApart }: LookupResult): void {
    if (isToldApart) this.#toldApart += 1;
    this.#addAnswers(answers);
    const isAnew = (why: StepLeft['anew']): boolean => remainingSteps.some(({ anew }) => anew === why);
    if (isAnew('too_old')) this.#tooOld += 1;
    for (const why of ['unanswered', 'asked_otherwise'] as const)
      if (isAnew(why)) this.#agreed[why].rows += 1;
    if (remainingSteps.some(({ again }) => again)) this.#rowsAgain += 1;
    for (const each of remainingSteps) if (each.isShared !== true) this.#addLeft(each);
  }

  #addLeft(remainingStep: StepLeft): void {
    const { kind, again, anew } = remainingStep;
    if (again) addAlike(this.#again, remainingStep);
    if (kind === 'in_doubt' || kind === 'left_out') return;
    addAlike(this.#toBuy, remainingStep);
    if (anew === 'unanswered' || anew === 'asked_otherwise')
      addAlike(this.#agreed[anew].kinds, remainingStep);
  }

  /** What is counted before the last row was read. */
  soFar(): PlanSoFar {
    const { rows, to_buy, invalid, bought_before: known, duplicates: twice } = this.#counts;
    const prices = [...this.#toBuy.values()].map(({ first }) => worstCredits(this.#pricing, first));
    return { rows, to_buy, free: known + twice + this.#skipped, invalid, most_each: Math.max(0, ...prices) };
  }

  /** @param refreshes whether old answers are bought anew, so that the plan says how many there are. */
  plan(refreshes: boolean): Plan {
    const { requestsPerSecond } = this.#pricing;
    const toBuy = [...this.#toBuy.values()];
    const sentAgain = [...this.#again.values()];
    const paid = [...toBuy, ...sentAgain];
    const worst = (remainder: StepRemainder): number => worstCredits(this.#pricing, remainder);
    const expected = (remainder: StepRemainder): number => this.#creditsExpected(remainder);
    const requests = sum(paid, (remainder) => this.#requestsExpected(remainder));
    // The extra credits of the batch may cover fewer of these rows.
    const again = { rows: this.#rowsAgain, most: sum(sentAgain, worst) };
    return {
      ...this.#counts,
      ...(this.#skipped === 0 ? {} : { skipped: this.#skipped }),
      ...present({ skipped_by: this.#skippedBy.all() }),
      ...(refreshes ? { too_old: this.#tooOld } : {}),
      ...(this.#setAside === 0 ? {} : { set_aside: this.#setAside }),
      ...(this.#toldApart === 0 ? {} : { told_apart: this.#toldApart }),
      ...present({
        unanswered: this.#agreed.unanswered.part(worst),
        asked_otherwise: this.#agreed.asked_otherwise.part(worst),
      }),
      ...againIn(again.rows === 0 ? undefined : again),
      credits: { most: sum(toBuy, worst) + again.most, expected: Math.round(sum(paid, expected)) },
      ...present({ cost: this.#cost(paid), steps: this.#steps(paid) }),
      seconds: requestsPerSecond === undefined ? null : Math.ceil(requests / requestsPerSecond),
      ...present({ reasons: this.#reasons.all() }),
    };
  }

  #cost(kinds: readonly Alike[]): PlannedCostObject | undefined {
    const { priceOf } = this.#pricing;
    const paid = kinds.flatMap(({ first }) => first.toAsk.filter((call) => priceOf(call).most > 0));
    const prices = paid.map(({ by }) => by.account.price);
    const inMoney = (creditsOf: (remainder: StepRemainder, worthOf: Worth) => number) =>
      moneyIn(prices, (worthOf) =>
        sum(kinds, (remainder) => creditsOf(remainder, ({ by }) => worthOf(by.account.price))),
      );
    // What is probably paid is shown in whole credits, and its money is that of the shown credits.
    const expected = sum(kinds, (remainder) => this.#creditsExpected(remainder));
    const shown = expected === 0 ? 0 : Math.round(expected) / expected;
    return plannedCost(
      inMoney((remainder, worthOf) => worstCredits(this.#pricing, remainder, worthOf)),
      inMoney((remainder, worthOf) => shown * this.#creditsExpected(remainder, worthOf)),
    );
  }

  /** Says what each step asks of each account, in their order; undefined where there is one account alone. */
  #steps(kinds: readonly Alike[]): PlannedStepObject[] | undefined {
    const steps = new Map<string, StepDraft>();
    const stepOf = (accountCall: AccountCall): StepDraft => {
      const step = steps.get(stepName(accountCall)) ?? {
        accountCall,
        reached: 0,
        known: 0,
        most: 0,
        expected: 0,
      };
      steps.set(stepName(accountCall), step);
      return step;
    };
    for (const { count, first } of kinds) {
      const chances = this.#chances(first.toAsk);
      const reached = new Set<StepDraft>();
      for (const [at, callLeft] of first.toAsk.entries()) {
        const step = stepOf(callLeft);
        const { most, found, miss } = this.#pricing.priceOf(callLeft);
        const { made, matches } = chances?.[at] ?? { made: Number.NaN, matches: Number.NaN };
        // A row is counted once where it is asked about, and not again where what was found is taken.
        if (!isTaking(callLeft.call) && !reached.has(step)) step.reached += count;
        reached.add(step);
        step.most += count * most;
        step.expected += count * (found * matches + miss * (made - matches));
      }
    }
    for (const { accountCall, count } of this.#known.values()) {
      const step = stepOf(accountCall);
      step.reached += count;
      step.known += count;
    }
    if (steps.size < 2) return undefined;
    const { placeOf, priceOf } = this.#pricing;
    return [...steps.values()]
      .toSorted((one, other) => placeOf(one.accountCall) - placeOf(other.accountCall))
      .map(({ accountCall: { call, by }, expected: sum, ...step }) => {
        const expected = Number.isNaN(sum) ? null : Math.round(sum);
        const { name, price } = by.account;
        const inMoney = (credits: number | null) => moneyFor([{ credits: credits ?? 0, price }]);
        return {
          operation: call.operation,
          account: name,
          ...step,
          expected,
          ...present({ cost: plannedCost(inMoney(step.most), inMoney(expected)) }),
          charges_misses: priceOf({ call, by }).miss > 0,
        };
      });
  }

  /** The rows that the run buys or sends again. */
  part(): SentAgain {
    const { to_buy: toBuy, sent_again: again, credits, cost } = this.plan(false);
    return { rows: toBuy + (again?.rows ?? 0), most: credits.most, ...present({ cost: cost?.most }) };
  }

  #addAnswers(answers: readonly UsableAnswer[]): void {
    for (const { kind, ...accountCall } of answers) {
      const step = stepName(accountCall);
      const count = (this.#known.get(step)?.count ?? 0) + (isTaking(accountCall.call) ? 0 : 1);
      this.#known.set(step, { accountCall, count });
      const name = askedBy(accountCall);
      const tally = this.#identifiers.get(name) ?? { asked: 0, found: 0 };
      tally.asked += 1;
      if (kind === 'found') tally.found += 1;
      this.#identifiers.set(name, tally);
    }
  }

  #chances(
    calls: readonly CallLeft[],
  ): readonly { readonly made: number; readonly matches: number }[] | undefined {
    const chances: { readonly made: number; readonly matches: number }[] = [];
    const isChecked = checksIn(calls);
    let made = 1;
    for (const call of calls) {
      // What was found is there to be taken.
      if (isTaking(call.call) || (isChecked && call.call.operation === checkEmail.name)) {
        const { matches = 1 } = chances.at(-1) ?? {};
        chances.push({ made: matches, matches });
        continue;
      }
      const rate = this.#rateOf(call);
      if (rate === undefined) return undefined;
      chances.push({ made, matches: made * rate });
      made *= 1 - rate;
    }
    return chances;
  }

  /**
   * The match rate from this file's own answers when there are enough, for example from a sample; else the
   * account's.
   */
  #rateOf(call: AccountCall): number | undefined {
    const { asked = 0, found = 0 } = this.#identifiers.get(askedBy(call)) ?? {};
    return asked >= ASKED_OFTEN_ENOUGH ? found / asked : this.#pricing.matchRateOf(call);
  }

  #creditsExpected(remainder: StepRemainder, worthOf: Worth = () => 1): number {
    const { priceOf } = this.#pricing;
    const chances = this.#chances(remainder.toAsk);
    if (chances === undefined) return worstCredits(this.#pricing, remainder, worthOf);
    return remainder.toAsk.reduce((sum, call, at) => {
      const { made = 0, matches = 0 } = chances[at] ?? {};
      const { found, miss } = priceOf(call);
      return sum + worthOf(call) * (found * matches + miss * (made - matches));
    }, 0);
  }

  #requestsExpected(remainder: StepRemainder): number {
    const chances = this.#chances(remainder.toAsk);
    return chances?.reduce((sum, { made }) => sum + made, 0) ?? remainder.toAsk.length;
  }
}

// ---------------------------------------------------------------------------------------------------- prices

export type Pricing = Awaited<ReturnType<typeof pricingOf>>;

export async function pricingOf(context: PlanContext) {
  const { job, ledger } = context;
  const accounts = accountsOf(context);
  const known = new Map<string, { readonly seen: number; readonly rate: number | undefined }>();
  const keyOf = ({ account }: AskedAccount, operation: string): string => `${account.name} ${operation}`;
  for (const { name } of stepsOf(job.operation)) {
    const call = { operation: name, ...present({ creditsMost: job.credits_max }) };
    for (const by of accounts) {
      const { identity } = by.account;
      // The highest price that an answer to the call has shown, which each attempt reserves.
      const seen = (await ledger?.price(identity, call)) ?? 0;
      known.set(keyOf(by, name), { seen, rate: await ledger?.matchRate(identity, name) });
    }
  }
  const knownOf = ({ by, call }: AccountCall) => known.get(keyOf(by, call.operation));
  const prices = stepsOf(job.operation).flatMap(({ name }) =>
    accounts.flatMap((by) => {
      const { credits, then } = by.dialect.operations[name] ?? {};
      const seen = known.get(keyOf(by, name))?.seen ?? 0;
      const first = Math.max(seen, job.credits_max ?? credits?.most ?? 1);
      return then === undefined ? first : first + Math.max(seen, then.credits.most);
    }),
  );
  return {
    /** The price of a call: at most, where the call finds something, and where it finds nothing. */
    priceOf(accountCall: AccountCall): Readonly<Record<'most' | 'found' | 'miss', number>> {
      const { dialect } = accountCall.by;
      const operation = dialectOperationOf(dialect, accountCall.call);
      const { most: stated, found, per_result: perResult } = operation.credits;
      const most = Math.max(stated, knownOf(accountCall)?.seen ?? 0);
      const miss = noMatchPrice(dialect, operation);
      // The number of results is known only when a match has come, so until then it counts as a full page.
      return { most, found: perResult === undefined ? found : most, miss };
    },
    /**
     * The most that one row can cost when none of its calls is bought yet, however many identifiers it gives.
     */
    mostOfRow: Math.max(...prices),
    /** Whether a call of this kind is left out when its answer is lost. */
    isSkipped: ({ call }: AccountCall): boolean => policyOfStep(job, call.operation) === 'skip',
    /** Whether an address may be paid and not taken: its finder gives it a verdict that does not count. */
    isChosen: ({ call }: AccountCall): boolean =>
      job.operation.steps?.find(({ name }) => name === call.operation)?.accepts !== undefined,
    /**
     * The share of the account's earlier questions of that kind that were answered; undefined before the
     * first answer.
     */
    matchRateOf: (accountCall: AccountCall): number | undefined => knownOf(accountCall)?.rate,
    /** A number by which steps and accounts are in the order in which they are asked. */
    placeOf({ call, by }: AccountCall): number {
      const steps = stepsOf(job.operation);
      const step = steps.findIndex(({ name }) => name === call.operation);
      const account = accounts.findIndex((each) => each.account.name === by.account.name);
      const place = steps[step]?.askedOperations?.findIndex((each) => each.account === account) ?? account;
      // A check stands behind the steps.
      return (step < 0 ? steps.length : step) * accounts.length + place;
    },
    /** The rate of the slowest account. */
    requestsPerSecond: slowestOf(accounts),
  };
}

export type StepRemainder = Pick<StepLeft, 'toAsk'>;

function slowestOf(accounts: readonly AskedAccount[]): number | undefined {
  const rates = accounts.flatMap(({ account }) => requestsPerSecond(account) ?? []);
  return rates.length === 0 ? undefined : Math.min(...rates);
}

/** What a credit counts as, such as its price in money. */
type Worth = (call: AccountCall) => number;

/** Whether calls of a step check what its other calls find, or have found before. */
const checksIn = (calls: readonly CallLeft[]): boolean =>
  new Set(calls.map(({ call }) => call.operation)).size > 1 || calls.some(({ wants }) => wants === VERDICT);

/**
 * The most that a step of a row can still cost: a step ends with the first match that fills a cell, and what
 * is asked before it may cost something, too.
 */
export function worstCredits(pricing: Pricing, { toAsk }: StepRemainder, worthOf: Worth = () => 1): number {
  const isChecked = checksIn(toAsk);
  let before = 0;
  let worst = 0;
  for (const [at, each] of toAsk.entries()) {
    const { most: credits, miss } = pricing.priceOf(each);
    const most = credits * worthOf(each);
    worst = Math.max(worst, before + most);
    const isBeforeOthers = toAsk.slice(at + 1).some(({ by }) => by !== each.by);
    // Each account may find an address that is not taken, and may be paid for a call that is left out.
    const isInVain =
      isBeforeOthers && (mayFillNothing(each) || pricing.isSkipped(each) || pricing.isChosen(each));
    if (miss > 0 || isChecked || isInVain || leads(each)) before += most; // rule fill-worst
  }
  return worst;
}

/** Whether a match only leads to the call that takes it. */
const leads = ({ by, call }: AccountCall): boolean => thenOf(by.dialect, call) !== undefined;

/** Whether an answer may be a match, and another account be asked for what the step asks for all the same. */
const mayFillNothing = ({ call, wants = [] }: CallLeft): boolean =>
  isCheck(call.operation) ||
  (wants.length > 0 && wants.every(({ path }) => path !== wantedOf(call.operation)));
