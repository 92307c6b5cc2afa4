import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { z } from 'zod';
import { isoTime, systemClock } from '../core/clock.ts';
import { inMoney, moneyFor, type PricedCredits } from '../core/money.ts';
import { present } from '../core/objects.ts';
import { listFolderOf } from '../core/paths.ts';
import { atMost, counted, grouped, linesOf } from '../core/plain-text.ts';
import { listNameOf } from '../files/called.ts';
import { accountNameIn } from '../files/output/output.ts';
import { vendorCountWords } from '../files/output/summary-words.ts';
import { vendorCountOf } from '../files/output/tally.ts';
import { triedBy } from '../job/job-origin.ts';
import type { Batch, BatchId, LedgerReader, Spent } from '../ledger/ledger.ts';
import {
  SPEND_BY,
  type SpendGroupObject,
  SpendObject,
  type SpentAtObject,
  type SpentForObject,
} from '../objects/log-object.ts';
import { pricesIn } from '../run/known-account.ts';
import { eachLedgerThere } from '../run/open-ledger.ts';
import { command, flag } from './shared/command.ts';
import { COMMON } from './shared/input.ts';

const month = z.string().refine((text) => /^20\d{2}-(?:0[1-9]|1[0-2])$/.test(text), {
  error: 'is no month',
  params: { next: 'Write it as 2026-11.' },
});

export default command({
  name: 'spend',
  summary: 'Shows what a month cost: credits spent, in doubt and saved, against the budgets.',
  example: 'spend --month 2026-11 --by operator',
  input: z.strictObject({
    ...COMMON,
    month: flag(
      month.optional(),
      'such as 2026-11, in UTC as budgets count it; left out: this one',
      '<month>',
    ),
    by: flag(z.enum(SPEND_BY).default('account'), 'how to add it up', '<what>'),
  }),
  output: SpendObject,
  async run({ store, month = isoTime(systemClock.wallMs()).slice(0, 7), by }) {
    const found = await eachLedgerThere(store, (ledger) => spentIn(ledger, month, by));
    const groups = found.flatMap((sums) => [...sums.values()]).map(({ group }) => group);
    const spend: SpendObject = {
      month,
      by,
      groups: groups.filter(isUsed).sort(by === 'day' ? byName : bySpent),
    };
    return { lines: linesFor(spend), object: spend };
  },
});

// -------------------------------------------------------------------------------------------------- the sums

/** The sums of a group while they are added up. */
interface Sum {
  readonly group: SpendGroupObject;
  readonly batches: Set<Batch>;
  readonly parts: Part[];
}

/** What was spent at an account for a list. */
interface Part extends PricedCredits {
  readonly account: string;
  readonly list: string;
  readonly operation: string;
  readonly atMost: number;
  readonly requests: number;
}

/** Sandbox credits are in groups of their own. */
async function spentIn(
  ledger: LedgerReader,
  month: string,
  by: SpendObject['by'],
): Promise<ReadonlyMap<string, Sum>> {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const fromMs = Date.UTC(year, number - 1);
  const untilMs = Date.UTC(year, number);
  const all = await ledger.batches();
  const batches = new Map(all.map((batch) => [batch.id, batch]));
  const priceOf = await pricesIn(ledger);
  const sums = new Map<string, Sum>();
  for await (const part of ledger.spentBetween(fromMs, untilMs)) {
    const batch = batches.get(part.batch);
    if (batch === undefined) continue;
    const { group, parts } = sumFor(sums, batch, nameBy(by, batch, part));
    const { spent: credits, atMost, requests, accountIdentity } = part;
    const { operation } = batch;
    const at = { list: listOf(batch), operation, account: accountNameIn(batch, { accountIdentity }) };
    parts.push({ ...at, credits, atMost, requests, price: priceOf(batch, accountIdentity) });
    group.spent += part.spent;
    group.for_misses += part.forMisses;
    if (part.atMost > 0) group.exact = false;
    group.in_doubt += part.inDoubt;
    group.requests += part.requests;
  }
  const starts = new Map<string, readonly BatchId[]>();
  for (const batch of all.toReversed().sort((one, other) => one.createdAtMs - other.createdAtMs)) {
    const earlier = starts.get(batch.inputPath) ?? [];
    starts.set(batch.inputPath, [...earlier, batch.id]);
    if (batch.createdAtMs < fromMs || batch.createdAtMs >= untilMs) continue;
    const [begun] = by === 'operator' ? await ledger.acts(batch.id) : [];
    const of = { ...batch, dayMs: batch.createdAtMs, ...begun };
    sumFor(sums, batch, nameBy(by, batch, of)).group.batches += 1;
    for await (const { accountIdentity, saved } of ledger.saved(batch.id, earlier))
      sumFor(sums, batch, nameBy(by, batch, { ...of, accountIdentity })).group.saved += saved;
  }
  for (const sum of sums.values()) await complete(sum, ledger, by, fromMs);
  return sums;
}

function sumFor(sums: Map<string, Sum>, batch: Batch, name: string | null): Sum {
  const { sandbox } = batch;
  const key = JSON.stringify([sandbox, name]);
  const sum = sums.get(key) ?? {
    group: {
      name,
      sandbox,
      spent: 0,
      for_misses: 0,
      exact: true,
      accounts: [],
      in_doubt: 0,
      saved: 0,
      requests: 0,
      batches: 0,
      budget: null,
    },
    batches: new Set(),
    parts: [],
  };
  sum.batches.add(batch);
  sums.set(key, sum);
  return sum;
}

type OfSpent = Pick<Spent, 'accountIdentity' | 'dayMs'> & { readonly operator?: string | null | undefined };

function nameBy(
  by: SpendObject['by'],
  batch: Batch,
  { accountIdentity, dayMs, operator = null }: OfSpent,
): string | null {
  switch (by) {
    case 'account':
      return accountNameIn(batch, { accountIdentity });
    case 'batch':
      return batch.id;
    case 'day':
      return isoTime(dayMs).slice(0, 10);
    case 'list':
      return listOf(batch);
    case 'month':
      return isoTime(dayMs).slice(0, 7);
    case 'operator':
      return operator;
  }
}

function listOf({ settings, operation, inputPath }: Batch): string {
  if (triedBy(settings) !== undefined) return `a trial of ${operation}`;
  if (listFolderOf(inputPath) === undefined) return inputPath;
  const name = listNameOf(inputPath);
  return name === basename(inputPath) && !existsSync(inputPath) ? 'a deleted list' : name;
}

const spentAt = (parts: readonly Part[]): SpentAtObject[] =>
  [...Map.groupBy(parts, ({ account }) => account)].map(([account, accountParts]) => ({
    account,
    spent: accountParts.reduce((sum, { credits }) => sum + credits, 0),
    exact: accountParts.every(({ atMost }) => atMost === 0),
    requests: accountParts.reduce((sum, { requests }) => sum + requests, 0),
    ...present({ cost: moneyFor(accountParts) }),
  }));

const spentFor = (parts: readonly Part[]): SpentForObject[] =>
  [...Map.groupBy(parts, ({ list, operation }) => `${operation}\n${list}`).values()].flatMap((listParts) => {
    const [{ list, operation } = { list: '', operation: '' }] = listParts;
    return { list, operation, accounts: spentAt(listParts) };
  });

/** Adds facts from the whole ledger: the budget, and what the vendor counted. */
async function complete(
  { group, batches, parts }: Sum,
  ledger: LedgerReader,
  by: SpendObject['by'],
  fromMs: number,
): Promise<void> {
  Object.assign(group, present({ cost: moneyFor(parts) }), { accounts: spentAt(parts) });
  if (by === 'day') group.lists = spentFor(parts);
  const [batch] = batches;
  if (batch === undefined || (by !== 'account' && by !== 'batch')) return;
  const { cap = null } =
    by === 'account'
      ? await ledger.accountMoney(identityOf(batch, group), 'month', fromMs)
      : await ledger.batchMoney(batch.id);
  group.budget = cap;
  Object.assign(group, present({ vendor_counted: vendorCountOf(batches, group.spent) }));
  if (by === 'batch') Object.assign(group, { input: batch.inputPath, account: batch.accountName });
}

const identityOf = ({ accounts, accountIdentity }: Batch, group: SpendGroupObject): string =>
  accounts.find(({ name }) => name === group.name)?.identity ?? accountIdentity;

const isUsed = ({ spent, in_doubt, requests, batches, saved }: SpendGroupObject): boolean =>
  spent + in_doubt + requests + batches + saved > 0;

const byName = (one: SpendGroupObject, other: SpendGroupObject): number =>
  Number(one.sandbox) - Number(other.sandbox) || (one.name ?? '').localeCompare(other.name ?? '');
const bySpent = (one: SpendGroupObject, other: SpendGroupObject): number =>
  Number(one.sandbox) - Number(other.sandbox) || other.spent - one.spent || byName(one, other);

// -------------------------------------------------------------------------------------------------- as words

function linesFor({ month, by, groups }: SpendObject): readonly string[] {
  const title = `${month} (UTC), by ${by}`;
  if (groups.length === 0) return [`${title}: nothing was spent.`];
  const play = groups.filter(({ sandbox }) => sandbox);
  const real = groups.filter(({ sandbox }) => !sandbox);
  return linesOf(
    title,
    linesOfGroups(real),
    play.length > 0 && 'play money of sandboxes',
    linesOfGroups(play),
  );
}

function linesOfGroups(groups: readonly SpendGroupObject[]): readonly string[] {
  const width = Math.max(0, ...groups.map((group) => nameOf(group).length));
  return groups.map((group) => `  ${nameOf(group).padEnd(width)}  ${figuresOf(group)}`);
}

const nameOf = ({ name }: SpendGroupObject): string => name ?? 'no name noted';

function figuresOf(group: SpendGroupObject): string {
  const { spent, exact, saved, requests, batches, budget, input, account } = group;
  const credits = `${atMost(spent, !exact, counted(spent, 'credit'))}${inMoney(group.cost)}`;
  return linesOf(
    `${credits}${budget === null ? '' : ` of ${grouped(budget)}`}${vendorCountWords(group.vendor_counted)}`,
    `${grouped(group.in_doubt)} in doubt`,
    `${grouped(saved)} saved`,
    counted(requests, 'request'),
    input === undefined ? counted(batches, 'batch begun', 'batches begun') : `${account}, ${input}`,
  ).join(', ');
}
