import { setImmediate } from 'node:timers/promises';
import { needingAttention } from '../../core/counts.ts';
import { type CreditPrice, moneyEach, moneyFor, type PricedCredits } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import type { RowNumber } from '../../core/row.ts';
import { asksSeveral, stepNames } from '../../core/steps.ts';
import { settingsKept } from '../../job/job-settings.ts';
import {
  type AskedOfAccount,
  type Batch,
  type LedgerReader,
  listsOf,
  type RowRecord,
  startedMs,
} from '../../ledger/ledger.ts';
import { asItIs } from '../../lib/formulas.ts';
import type {
  BatchView,
  FiguresObject,
  ListCost,
  ListFigures,
  SpentObject,
  StepObject,
} from '../../objects/batch-view.ts';
import { FieldSurvey, saidIn } from '../../values/answer-fields.ts';
import { PART_ROWS, plannedRecords, recordParts, rowParts } from '../kept-rows.ts';
import { additionWith, answerFields, resultsFilesOf, tellFound } from './added-columns.ts';
import { matchingOf, type RowMatch } from './match.ts';
import { accountNameIn, shownAnswer } from './shown-answer.ts';
import { hasCosts, spentOf, spentTogether, Tally, vendorCountOf } from './tally.ts';

/** Composes the view of a batch that every face prints. Each figure is asked for where it is shown. */

/** What a list of batches shows of each. */
export async function batchCounts(ledger: LedgerReader, batch: Batch): Promise<BatchCounts> {
  const { inputRows: rows, rowsBeyond: rows_beyond } = batch;
  const counts = await ledger.counts(batch.id);
  const money = await ledger.batchMoney(batch.id);
  const credits = { ...spentOf(money), reserved: money.reserved, budget: money.cap ?? null };
  return { rows, ...present({ rows_beyond }), counts, credits, has_costs: hasCosts(batch, money) };
}

export type BatchCounts = Pick<BatchView, 'rows' | 'rows_beyond' | 'counts' | 'credits' | 'has_costs'>;

/** All that needs no reading of the rows. */
export async function batchView(ledger: LedgerReader, batch: Batch, priceOf: PriceOf): Promise<BatchView> {
  const counted = await batchCounts(ledger, batch);
  const { requests, calls } = await ledger.metrics(batch.id);
  const paid = await pricedIn(ledger, batch, counted.credits.spent, priceOf);
  return {
    ...counted,
    ...present({ accounts: accountsOf(paid), cost: moneyFor(paid) }),
    requests,
    calls,
  };
}

/** A view with what a reading of all rows tells. Changes are read beside it, with their people. */
export type WholeView = Omit<BatchView, 'changes'> & Required<Pick<BatchView, 'figures'>>;

/** @param tally every row of the list. */
export async function wholeView(
  ledger: LedgerReader,
  batch: Batch,
  tally: Tally,
  priceOf: PriceOf,
): Promise<WholeView> {
  const view = await batchView(ledger, batch, priceOf);
  const cost = await costInAll(ledger, batch, view.credits, priceOf);
  const all = cost && listFigures(batch, tally, view, cost, await findsGone(ledger, batch, tally));
  const steps = await stepsIn(ledger, batch, priceOf);
  const byAccount = await ledger.byAccount(batch.id);
  const forMisses = byAccount.reduce((sum, each) => sum + each.forMisses, 0);
  return { ...view, ...present({ steps }), figures: figuresOf(batch, tally, view, all, forMisses) };
}

export function figuresOf(
  batch: Batch,
  tally: Tally,
  view: Pick<BatchView, 'rows' | 'counts' | 'credits' | 'cost'>,
  inAll?: ListFigures,
  forMisses = 0,
): FiguresObject {
  const { rows, counts, cost = null } = view;
  const { spent } = view.credits;
  const { bought, known, twice, mismatched, otherAbn } = tally;
  const { matched: found = 0, invalid = 0 } = counts;
  const pending = rows - tally.ended;
  return {
    rows,
    usable: rows - invalid,
    asked: rows - invalid - pending - tally.leftOut - known - twice,
    known,
    twice,
    filled_before: tally.filledBefore,
    ...present({ left_out: tally.reasonsLeftOut.length > 0 ? [...tally.reasonsLeftOut] : undefined }),
    found,
    found_free: found - bought,
    attention: needingAttention(counts) + tally.damaged + mismatched,
    reasons: tally.reasons,
    ...present({ mismatched: mismatched || undefined, other_abn: otherAbnOf(otherAbn) }),
    identifiers: tally.identifiers,
    columns: (found > 0 ? tally.columns : []).map(({ name, path }) => ({
      name,
      filled: tally.filled.get(path) ?? 0,
      found: tally.foundAt(batch, path) ?? found,
    })),
    ...present({ vendor_counted: vendorCountOf([batch], spent) }),
    missed_paid: tally.missedPaid,
    for_misses: forMisses,
    saved: tally.saved,
    cost,
    ...present({ in_all: inAll }),
    each: priceEach(batch, pending, bought, { credits: view.credits, cost }),
  };
}

const otherAbnOf = ({ count, first_rows }: Tally['otherAbn']): FiguresObject['other_abn'] | undefined =>
  count === 0 ? undefined : { count, first_rows };

/** @param bought how many of the found rows were. */
function priceEach(
  { operation }: Pick<Batch, 'operation'>,
  pending: number,
  bought: number,
  { credits: { spent }, cost }: Pick<ListCost, 'cost'> & { readonly credits: Pick<SpentObject, 'spent'> },
): FiguresObject['each'] {
  // A pending row of several steps may have cost something already, so one found row has no price yet.
  const isPart = pending > 0 && stepNames(operation).length > 1;
  if (bought === 0 || spent === 0 || isPart) return null;
  return { rows: bought, credits: inHundredths(spent / bought), cost: cost && moneyEach(cost, bought) };
}

/**
 * How many rows earlier starts of the list have bought and found that are gone, changed or left out since.
 * The list has paid for them, so that each find costs what it did.
 */
async function findsGone(ledger: LedgerReader, batch: Batch, tally: Tally): Promise<number> {
  let gone = 0;
  for (const { id } of await startsBefore(ledger, batch)) {
    const read = (from: RowNumber) => ledger.finds(id, from, FINDS_AT_ONCE);
    for await (const part of rowParts(FINDS_AT_ONCE, read))
      gone += part.filter(({ attempts }) => tally.isGone(attempts)).length;
  }
  return gone;
}

const FINDS_AT_ONCE = 10_000;

/**
 * The figures of the list by all its starts.
 * @param gone finds that earlier starts have bought for rows that are not here now.
 */
function listFigures(
  batch: Batch,
  tally: Tally,
  view: Parameters<typeof figuresOf>[2],
  all: ListCost,
  gone: number,
): ListFigures {
  const { asked, known, twice, found } = figuresOf(batch, tally, view);
  const { askedBefore, twiceBefore, boughtBefore } = tally;
  const bought = tally.bought + boughtBefore;
  return {
    ...all,
    asked: asked + askedBefore,
    known: known - askedBefore - twiceBefore,
    twice: twice + twiceBefore,
    found_free: found - bought,
    each: priceEach(batch, view.rows - tally.ended, bought + gone, all),
  };
}

/** The price of a credit of an account, as a batch names it; undefined where it has none. */
export type PriceOf = (batch: Batch, identity: string) => CreditPrice | undefined;

/** What batches over one list have spent together. Play money is never added to real money. */
export async function listCost(
  ledger: LedgerReader,
  batches: readonly Batch[],
  priceOf: PriceOf,
): Promise<ListCost> {
  const each: SpentObject[] = [];
  const parts: AccountPart[] = [];
  for (const batch of batches) {
    const spent = spentOf(await ledger.batchMoney(batch.id));
    each.push(spent);
    parts.push(...(await pricedIn(ledger, batch, spent.spent, priceOf)));
  }
  return {
    credits: spentTogether(each),
    ...present({ accounts: accountsOf(parts) }),
    cost: moneyFor(parts) ?? null,
  };
}

type AccountPart = PricedCredits & { readonly account: string };

/** What each of several accounts was paid; undefined where it was one. */
function accountsOf(parts: readonly AccountPart[]): ListCost['accounts'] | undefined {
  const paid = Map.groupBy(
    parts.filter(({ credits }) => credits > 0),
    ({ account }) => account,
  );
  if (paid.size < 2) return undefined;
  return [...paid].map(([account, parts]) => {
    return { account, spent: parts.reduce((sum, { credits }) => sum + credits, 0) };
  });
}

/** @param spent what the batch has spent in all, which is known before its accounts are asked for. */
async function pricedIn(
  ledger: LedgerReader,
  batch: Batch,
  spent: number,
  priceOf: PriceOf,
): Promise<readonly AccountPart[]> {
  const { accounts, accountIdentity } = batch;
  const shares = accounts.length > 1 ? await ledger.spentByAccount(batch.id) : [{ accountIdentity, spent }];
  return shares.map((share) => ({
    account: accountNameIn(batch, share),
    credits: share.spent,
    price: priceOf(batch, share.accountIdentity),
  }));
}

/** The starts of the same list before this one, which have spent the same kind of money. */
async function startsBefore(ledger: LedgerReader, batch: Batch): Promise<readonly Batch[]> {
  const { starts = [] } = listsOf(await ledger.batches()).get(batch.inputPath) ?? {};
  return starts.filter(
    ({ id, sandbox, createdAtMs }) =>
      id !== batch.id && sandbox === batch.sandbox && createdAtMs <= startedMs(batch),
  );
}

/** Counts the rows of a batch, and knows what earlier starts of its list have paid for. */
export const tallyOf = async (ledger: LedgerReader, batch: Batch): Promise<Tally> =>
  new Tally(new Set((await startsBefore(ledger, batch)).map(({ id }) => id)));

/** What the list has cost by this start and all before it; undefined where that is the cost of this one. */
async function costInAll(
  ledger: LedgerReader,
  batch: Batch,
  ownSpent: SpentObject,
  priceOf: PriceOf,
): Promise<ListCost | undefined> {
  const before = await startsBefore(ledger, batch);
  if (before.length === 0) return undefined;
  const all = await listCost(ledger, [batch, ...before], priceOf);
  const isOwn = all.credits.spent === ownSpent.spent && all.credits.in_doubt === ownSpent.in_doubt;
  return isOwn ? undefined : all;
}

/**
 * Reads the rows of a batch in slices of some milliseconds, because a server answers others in between.
 */
export async function readWholeView(
  ledger: LedgerReader,
  batch: Batch,
  priceOf: PriceOf,
): Promise<WholeView> {
  const { answer_at: answerPlace, ...job } = settingsKept(batch.settings);
  const { add } = job;
  const paths = add && new Set(Object.values(add));
  const tally = await tallyOf(ledger, batch);
  const survey = new FieldSurvey();
  const isApart = resultsFilesOf(job).length > 0;
  const matching = await matchingOf(ledger, batch);
  const count = ({ outcome }: RowRecord, { answers }: Pick<RowMatch, 'answers'>): void => {
    const shown = shownAnswer(answers, answerPlace);
    if (shown === undefined) return;
    const fields = add === undefined ? answerFields(shown, isApart) : undefined;
    if (fields !== undefined) survey.addFields(fields);
    const answer = fields === undefined ? saidIn(shown.body, shown.place) : undefined;
    if (outcome?.kind === 'matched') tellFound(tally.addFound.bind(tally), paths, answer, fields);
  };
  for await (const records of listRecords(ledger, batch)) {
    const rows = await matching.ofAll(records);
    for (const [at, record] of records.entries()) {
      const match = rows[at];
      tally.add(batch, record.row, record, match);
      count(record, match ?? record);
    }
    await setImmediate();
  }
  const choice = { job, answerPlace, safety: asItIs };
  const { columns } = await additionWith(choice, batch.header, batch, survey.names);
  tally.columns = columns.filter(({ beside }) => beside === undefined);
  return wholeView(ledger, batch, tally, priceOf);
}

/** The rows of the list. A plan may have further rows behind them, which no output copies. */
async function* listRecords(ledger: LedgerReader, batch: Batch): AsyncGenerator<readonly RowRecord[]> {
  if (!batch.rowsBeyond) {
    yield* recordParts(ledger, batch.id, PART_ROWS.lists);
    return;
  }
  let remainingRows = batch.inputRows;
  for await (const { record } of plannedRecords(ledger, batch.id)) {
    if (remainingRows === 0) return;
    remainingRows -= 1;
    if (record !== undefined) yield [record];
  }
}

/** In the order of the steps and their accounts; undefined for a batch of one step with one account. */
export async function stepsIn(
  ledger: LedgerReader,
  batch: Batch,
  priceOf: PriceOf,
): Promise<StepObject[] | undefined> {
  if (!asksSeveral(batch)) return undefined;
  const steps = stepNames(batch.operation);
  const { answer_at: answerPlace } = settingsKept(batch.settings);
  const placeOf = ({ operation, accountIdentity }: AskedOfAccount): number =>
    // A check stands behind the steps whose addresses it checks.
    (steps.includes(operation) ? steps.indexOf(operation) : steps.length) * batch.accounts.length +
    Math.max(0, Object.keys(answerPlace.steps?.[operation]?.accounts ?? {}).indexOf(accountIdentity));
  const all = await ledger.byAccount(batch.id);
  return all
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((each) => {
      const { operation, reached, asked, calls, matches, sold, spent, forMisses, atMost } = each;
      // A found address that its check refuses is no find. A check itself fills nothing.
      const isStep = steps.includes(operation);
      const found = isStep ? each.filled : each.found;
      const bought = isStep ? each.fillers : matches;
      const priced = (credits: number) => (bought === 0 ? null : inHundredths(credits));
      const price = priced(spent / bought);
      const inMoney = (credits: number) =>
        moneyFor([{ credits, price: priceOf(batch, each.accountIdentity) }]);
      return {
        operation,
        account: accountNameIn(batch, each),
        reached,
        known: reached - asked,
        asked,
        found,
        missed: reached - found,
        credits: { spent, exact: atMost === 0, for_misses: forMisses },
        ...present({ cost: inMoney(spent), price_in_money: inMoney(price ?? 0) }),
        price,
        price_by_rate: priced((((spent - forMisses) / sold) * calls) / bought),
      };
    });
}

const inHundredths = (price: number): number => Math.round(price * 100) / 100;
