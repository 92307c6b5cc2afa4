/** What is shown is what the tables say, whichever command is asked. */
import fs from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { BatchObject, BatchStatusObject } from '../../../src/objects/batch-object.ts';
import type { FiguresObject } from '../../../src/objects/batch-view.ts';
import type { SpendObject } from '../../../src/objects/log-object.ts';
import type { PlanObject } from '../../../src/objects/plan-object.ts';
import type { RunObject } from '../../../src/objects/run-object.ts';
import { DAY_MS } from '../people.ts';
import { promise } from '../played.ts';
import { type CallRow, heldBy, type ListedRow, type Tables } from './tables.ts';

function requireSame(what: string, shown: object, tables: object): void {
  const words = `${what} shows ${JSON.stringify(shown)}, the tables say ${JSON.stringify(tables)}`;
  promise(isDeepStrictEqual({ ...shown }, { ...tables }), words);
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, each) => total + each, 0);

const rowsOf = ({ rows }: Tables, batch: string): readonly ListedRow[] =>
  [...rows.values()].filter((row) => row.batch === batch);

/** Rows by their state; what is pending has none yet. */
function countsOf(tables: Tables, batch: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of rowsOf(tables, batch))
    if (state !== 'pending') counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

const sorted = (counts: Readonly<Record<string, number>>): object =>
  Object.fromEntries(Object.entries(counts).sort());

const payerOf = ({ calls }: Tables, call: CallRow): CallRow =>
  call.payer === null ? call : (calls.get(call.payer) as CallRow);

interface Credits {
  readonly spent: number;
  readonly exact: boolean;
  readonly in_doubt: number;
}

/** Whether the answer is still to come. */
const isToCome = ({ state }: CallRow): boolean => state === 'open' || state === 'accepted';

const doubtedBy = (call: CallRow): number => (isToCome(call) ? 0 : heldBy(call));

/** Of the calls whose payers are chosen. */
function creditsOf(tables: Tables, isMeant: (payer: CallRow) => boolean): Credits {
  const calls = [...tables.calls.values()].filter((call) => isMeant(payerOf(tables, call)));
  const spent = sum(calls.map(({ charged }) => charged ?? 0));
  const isAtMost = calls.some(({ is_at_most: most, charged }) => most === 1 && (charged ?? 0) > 0);
  return { spent, exact: !(isAtMost && spent > 0), in_doubt: sum(calls.map(doubtedBy)) };
}

const callsOf = ({ call, uses }: ListedRow): readonly number[] => [
  ...new Set<number>([...JSON.parse(uses), ...(call === null ? [] : [call])]),
];

/** Whether an earlier start of the list of the batch has had the answer to a call. A clock that was put back dates a start earlier. */
function hadBefore(tables: Tables, batch: string): (row: number, call: CallRow) => boolean {
  const batches = tables.batches.toSorted((one, other) => one.created_at - other.created_at);
  const at = batches.findIndex(({ id }) => id === batch);
  const earlier = batches.slice(0, at).filter(({ list }) => list === batches[at]?.list);
  const starts = earlier.map(({ id }) => ({ id, rows: rowsOf(tables, id) }));
  return (row, { id, batch: by }) =>
    starts.some(
      (start) =>
        start.id === by ||
        start.rows.some((each) => each.call === id || (each.row === row && callsOf(each).includes(id))),
    );
}

/** @param isMeant which calls are counted, of those that another row or batch has paid. */
function savedBy(
  tables: Tables,
  batch: string,
  isMeant: (row: number, call: CallRow) => boolean = () => true,
): number {
  const used = (row: ListedRow) =>
    callsOf(row).map((id) => ({ row: row.row, call: tables.calls.get(id) as CallRow }));
  return sum(
    rowsOf(tables, batch)
      .filter(({ state }) => state !== 'pending')
      .flatMap(used)
      .filter(({ row, call }) => (call.batch !== batch || call.row !== row) && isMeant(row, call))
      .map(({ call }) => call.charged ?? 0),
  );
}

/** What took a request of the batch, and what was answered. */
function requestsOf({ calls }: Tables, batch: string): { readonly requests: number; readonly calls: number } {
  const own = [...calls.values()].filter((call) => call.batch === batch);
  const isAnswered = ({ state }: CallRow): boolean => ['answered', 'replaced', 'erased'].includes(state);
  return { requests: own.filter(wasRequest).length, calls: own.filter(isAnswered).length };
}

const wasRequest = (call: CallRow): boolean =>
  call.state !== 'open' && !(call.state === 'uncharged' && call.said === 'not_sent');

// ------------------------------------------------------------------------------------------------ commands

export function requireBatchShown(what: string, shown: BatchObject, tables: Tables): void {
  const { batch, counts, credits, state } = shown;
  requireSame(`${what}: the rows of ${batch}`, sorted(counts), sorted(countsOf(tables, batch)));
  const { spent, exact, in_doubt, reserved } = credits;
  const money = creditsOf(tables, (payer) => payer.batch === batch);
  const open = [...tables.calls.values()].filter((call) => call.batch === batch && isToCome(call));
  const held = sum(open.map(heldBy));
  requireSame(
    `${what}: the credits of ${batch}`,
    { spent, exact, in_doubt, reserved },
    { ...money, reserved: held },
  );
  const kept = tables.batches.find(({ id }) => id === batch);
  promise(kept?.state === state, `${what}: ${batch} is ${state}, the tables say ${kept?.state}`);
}

/** `status`, and the same list on the page. */
export function requireListShown(what: string, batches: readonly BatchObject[], tables: Tables): void {
  const names = (all: Iterable<string>): readonly string[] => [...all].sort();
  const kept = names(tables.batches.map(({ id }) => id));
  requireSame(`${what}: the batches`, names(batches.map(({ batch }) => batch)), kept);
  for (const shown of batches) requireBatchShown(what, shown, tables);
}

export function requireStatusShown(shown: BatchStatusObject, tables: Tables): void {
  requireBatchShown('status BATCH', shown, tables);
  const { batch, requests, calls, open, settled, counts } = shown;
  requireSame(`status BATCH: the requests of ${batch}`, { requests, calls }, requestsOf(tables, batch));
  const underWay = [...tables.calls.values()].filter((call) => call.batch === batch && call.state === 'open');
  promise(open === underWay.length, `status BATCH: ${open} are open, the tables say ${underWay.length}`);
  const ended = sum(Object.values(counts));
  promise(settled === ended, `status BATCH: ${settled} rows are settled, and ${ended} have ended`);
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const monthOf = (ms: number): string => dayOf(ms).slice(0, 7);

/** By which groups of calls `spend` may be asked here. */
export const SPEND_BY = ['account', 'batch', 'day'] as const;

export function requireSpendShown({ by, month, groups }: SpendObject, tables: Tables): void {
  const number = Number(month.replace('-', ''));
  const isOfMonth = (call: CallRow): boolean => payerOf(tables, call).month === number;
  const begun = tables.batches.filter(({ created_at }) => monthOf(created_at) === month);
  const sent = [...tables.calls.values()].filter((call) => wasRequest(call) && isOfMonth(call));
  for (const { name, spent, in_doubt: inDoubt, saved, requests } of groups) {
    const accountName = (account: number): string | null => tables.names.get(account) ?? null;
    const nameBy = ({ batch, day, account }: CallRow): string | null =>
      by === 'batch' ? batch : by === 'day' ? dayOf(day * DAY_MS) : accountName(account);
    const isMeant = (payer: CallRow): boolean => isOfMonth(payer) && nameBy(payer) === name;
    const { exact: _, ...money } = creditsOf(tables, isMeant);
    requireSame(`spend --by ${by}: ${name}`, { spent, in_doubt: inDoubt }, money);
    const own = sent.filter((call) => nameBy(payerOf(tables, call)) === name).length;
    promise(requests === own, `spend --by ${by}: ${name} took ${requests} requests, the tables say ${own}`);
    const isOfName = ({ account }: CallRow): boolean => by !== 'account' || accountName(account) === name;
    const batches = begun.filter(({ id }) => by === 'account' || id === name);
    const savedIn = (id: string): number => {
      const isKnown = hadBefore(tables, id);
      return savedBy(tables, id, (row, call) => isOfName(call) && !isKnown(row, call));
    };
    const shared = sum(batches.map(({ id }) => savedIn(id)));
    promise(by === 'day' || saved === shared, `spend: ${saved} were saved, the tables say ${shared}`);
  }
  const all = sum(groups.map(({ spent }) => spent));
  const { spent } = creditsOf(tables, isOfMonth);
  promise(all === spent, `spend --by ${by}: ${all} in all, the tables say ${spent}`);
}

/** Each row is counted once. */
export function requirePlanShown({ rows, ...plan }: PlanObject): void {
  const { invalid, duplicates, skipped = 0, bought_before, in_doubt, to_buy, credits } = plan;
  const counted = invalid + duplicates + skipped + bought_before + in_doubt + to_buy;
  promise(rows === counted, `plan: ${rows} rows, and ${counted} are counted: ${JSON.stringify(plan)}`);
  promise(
    credits.expected <= credits.most,
    `plan: ${credits.expected} credits are expected, at most ${credits.most}`,
  );
  promise(to_buy > 0 || credits.most === 0, `plan: nothing is to buy, for ${credits.most} credits`);
}

/** What a run prints at its end. @param before the tables as they were at its start. */
export function requireRunShown(shown: RunObject, before: Tables | undefined, tables: Tables): void {
  const { batch, counts, credits, calls, figures } = shown;
  requireSame(`run: the rows of ${batch}`, sorted(counts), sorted(countsOf(tables, batch)));
  const { spent, exact, in_doubt } = credits;
  const isOwn = (payer: CallRow): boolean => payer.batch === batch;
  requireSame(`run: the credits of ${batch}`, { spent, exact, in_doubt }, creditsOf(tables, isOwn));
  const spentBefore = before === undefined ? 0 : creditsOf(before, isOwn).spent;
  const now = spent - spentBefore;
  promise(credits.spent_now === now, `run: ${credits.spent_now} were spent now, the tables say ${now}`);
  const { calls: answered } = requestsOf(tables, batch);
  // An answer that was taken back counts no more, and erased none can be told from another.
  const isErased = ({ state, charged }: CallRow): boolean => state === 'erased' && charged === 0;
  const least = answered - [...tables.calls.values()].filter(isErased).length;
  promise(calls <= answered && calls >= least, `run: ${calls} calls, the tables say ${answered}`);
  const saved = savedBy(tables, batch);
  promise((credits.saved ?? saved) === saved, `run: ${credits.saved} were saved, the tables say ${saved}`);
  // A team's figures leave out people whom the list does not name, and its report shows changes.
  if (figures !== undefined && shown.changes === undefined) requireFiguresShown(shown, figures, tables);
}

/** The figures of a run, and those of the report that it wrote. */
function requireFiguresShown(run: RunObject, figures: FiguresObject, tables: Tables): void {
  const counts = countsOf(tables, run.batch);
  const { invalid = 0, matched = 0, refused = 0, in_doubt = 0, skipped = 0 } = counts;
  const { rows, usable, asked, known, twice, found, found_free: free, attention } = figures;
  const { rows: all } = run;
  requireSame(
    `run: the figures of ${run.batch}`,
    { rows, usable, answered: asked + known + twice, found, attention },
    {
      rows: all,
      usable: all - invalid,
      answered: sum(Object.values(counts)) - invalid - skipped,
      found: matched,
      attention: invalid + refused + in_doubt,
    },
  );
  if (run.report === undefined) return;
  const report = fs.readFileSync(run.report, 'utf8');
  promise(free <= found, `run: ${free} of ${found} found rows were free`);
  const shown = ['Looked up', 'Known before', 'Share an answer', 'Found'].map((name) => {
    const [, count = '0'] = new RegExp(`>${name}<[\\s\\S]*?class="soft">([\\d,]+)`).exec(report) ?? [];
    return Number(count.replaceAll(',', ''));
  });
  // The report has the totals of the list, where an earlier start has paid for some of its rows.
  const ofList = figures.in_all ?? figures;
  requireSame(`the report of ${run.batch}`, shown, [ofList.asked, ofList.known, ofList.twice, found]);
  const answered = ofList.asked + ofList.known + ofList.twice;
  promise(answered === asked + known + twice, `run: ${answered} rows answered by all starts of ${run.batch}`);
}
