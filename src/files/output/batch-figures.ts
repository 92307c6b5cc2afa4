import { setImmediate } from 'node:timers/promises';
import { type CreditPrice, moneyEach, moneyFor, type PricedCredits } from '../../core/money.ts';
import { present } from '../../core/objects.ts';
import { asksSeveral, stepNames } from '../../core/steps.ts';
import { settingsKept } from '../../job/job-settings.ts';
import {
  type AskedOfAccount,
  type Batch,
  type LedgerReader,
  listsOf,
  type Money,
  type RowRecord,
  startedMs,
} from '../../ledger/ledger.ts';
import { asItIs } from '../../lib/formulas.ts';
import type { ListCost } from '../../objects/batch-object.ts';
import type { FiguresObject, StepObject } from '../../objects/run-object.ts';
import { FieldSurvey, saidIn } from '../../values/answer-fields.ts';
import { PART_ROWS, plannedRecords, recordParts } from '../kept-rows.ts';
import { additionWith, answerFields, foundValues, resultsFilesOf } from './added-columns.ts';
import { matchingOf, type RowMatch } from './match.ts';
import type { BatchFigures } from './report-object.ts';
import { accountNameIn, shownAnswer } from './shown-answer.ts';
import { hasCosts, spentOf, spentTogether, Tally, vendorCountOf } from './tally.ts';

/** What a batch has cost, beside the earlier starts of its list. */
interface Costs extends Pick<FiguresObject, 'cost' | 'in_all'> {
  readonly money: Money;
}

export function figuresOf(
  batch: Batch,
  tally: Tally,
  { money, ...costs }: Costs,
  steps?: StepObject[],
): BatchFigures {
  const { cost } = costs;
  const ended = [...tally.counts].filter(([kind]) => kind !== 'pending');
  const pending = batch.inputRows - ended.reduce((sum, [, count]) => sum + count, 0);
  const counts = Object.fromEntries([...ended, ...(pending > 0 ? [['pending', pending] as const] : [])]);
  const usable = batch.inputRows - (tally.counts.get('invalid') ?? 0);
  const found = tally.counts.get('matched') ?? 0;
  const { bought } = tally;
  // A pending row of several steps may have cost something already, so one found row has no price yet.
  const isPart = pending > 0 && stepNames(batch.operation).length > 1;
  return {
    rows: batch.inputRows,
    counts,
    usable,
    asked: usable - Math.max(0, pending) - tally.leftOut,
    filled_before: tally.filledBefore,
    found,
    attention: tally.reasons.reduce((sum, { rows }) => sum + rows, 0),
    reasons: tally.reasons,
    ...present({ mismatched: tally.mismatched || undefined }),
    identifiers: tally.identifiers,
    columns: (found > 0 ? tally.columns : []).map(({ name, path }) => ({
      name,
      filled: tally.filled.get(path) ?? 0,
      found: tally.foundAt(batch, path),
    })),
    ...present({ steps }),
    credits: spentOf(money),
    ...present({ vendor_counted: vendorCountOf([batch], money.spent) }),
    saved: tally.saved,
    ...costs,
    each:
      bought === 0 || money.spent === 0 || isPart
        ? null
        : {
            rows: bought,
            credits: inHundredths(money.spent / bought),
            cost: cost && moneyEach(cost, bought),
          },
    has_costs: hasCosts(batch, money),
  };
}

/** The price of a credit of an account, as a batch names it; undefined where it has none. */
export type PriceOf = (batch: Batch, identity: string) => CreditPrice | undefined;

/** What a batch has spent in money. */
export const costOf = async (ledger: LedgerReader, batch: Batch, priceOf: PriceOf) =>
  moneyFor(await pricedIn(ledger, batch, priceOf));

/** What batches over one list have spent together. Play money is never added to real money. */
export async function listCost(
  ledger: LedgerReader,
  batches: readonly Batch[],
  priceOf: PriceOf,
): Promise<ListCost> {
  const each = await Promise.all(batches.map(async ({ id }) => spentOf(await ledger.batchMoney(id))));
  const parts = await Promise.all(batches.map((batch) => pricedIn(ledger, batch, priceOf)));
  return { credits: spentTogether(each), cost: moneyFor(parts.flat()) ?? null };
}

const pricedIn = (ledger: LedgerReader, batch: Batch, priceOf: PriceOf): Promise<PricedCredits[]> =>
  Promise.all(
    batch.accounts.map(async ({ identity }) => {
      const { spent } = await ledger.shareMoney(batch.id, identity);
      return { credits: spent, price: priceOf(batch, identity) };
    }),
  );

async function costsIn(ledger: LedgerReader, batch: Batch, priceOf: PriceOf): Promise<Costs> {
  const money = await ledger.batchMoney(batch.id);
  const cost = (await costOf(ledger, batch, priceOf)) ?? null;
  const { starts = [] } = listsOf(await ledger.batches()).get(batch.inputPath) ?? {};
  const before = starts.filter(
    ({ id, sandbox, createdAtMs }) =>
      id !== batch.id && sandbox === batch.sandbox && createdAtMs <= startedMs(batch),
  );
  if (before.length === 0) return { money, cost };
  const all = await listCost(ledger, [batch, ...before], priceOf);
  const { spent, in_doubt: inDoubt } = all.credits;
  return spent === money.spent && inDoubt === money.inDoubt ? { money, cost } : { money, cost, in_all: all };
}

export async function figuresIn(
  ledger: LedgerReader,
  batch: Batch,
  tally: Tally,
  priceOf: PriceOf,
): Promise<BatchFigures> {
  const steps = await stepsIn(ledger, batch, priceOf);
  return figuresOf(batch, tally, await costsIn(ledger, batch, priceOf), steps);
}

/**
 * Reads the figures of a batch in slices of some milliseconds, because a server answers others in between.
 */
export async function readFigures(
  ledger: LedgerReader,
  batch: Batch,
  priceOf: PriceOf,
): Promise<BatchFigures> {
  const { answer_at: answerPlace, ...job } = settingsKept(batch.settings);
  const { add } = job;
  const paths = add && new Set(Object.values(add));
  const tally = new Tally();
  const survey = new FieldSurvey();
  const isApart = resultsFilesOf(job).length > 0;
  const matching = await matchingOf(ledger, batch);
  const count = ({ outcome }: RowRecord, { answers }: Pick<RowMatch, 'answers'>): void => {
    const shown = shownAnswer(answers, answerPlace);
    if (shown === undefined) return;
    const fields = add === undefined ? answerFields(shown, isApart) : undefined;
    if (fields !== undefined) survey.addFields(fields);
    const answer = fields === undefined ? saidIn(shown.body, shown.place) : undefined;
    if (outcome?.kind === 'matched') tally.addFound(foundValues(paths, answer, fields));
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
  return figuresIn(ledger, batch, tally, priceOf);
}

/** The rows of the list. A plan may have further rows behind them, which no output copies. */
async function* listRecords(ledger: LedgerReader, batch: Batch): AsyncGenerator<readonly RowRecord[]> {
  if (!batch.rowsBeyond) {
    yield* recordParts(ledger, batch.id, PART_ROWS.lists);
    return;
  }
  let left = batch.inputRows;
  for await (const { record } of plannedRecords(ledger, batch.id)) {
    if (left === 0) return;
    left -= 1;
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
