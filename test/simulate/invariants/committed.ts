/** What holds of the tables after each commit, and of the step from the commit before. */
import fs from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../people.ts';
import { promise } from '../played.ts';
import { type CallRow, heldBy, isUnderWay, type Tables } from './tables.ts';

type Moves = ReadonlyMap<string, ReadonlySet<string>>;

const LEDGER_PAGE = fs.readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'internals', 'ledger.md'),
  'utf8',
);

const ROW_STATES = 'pending in_doubt skipped matched no_match refused applied unchanged invalid'.split(' ');

/** The table of a section, as people read it: one line may name several states on either side. */
function movesIn(section: string): Moves {
  const moves = new Map<string, Set<string>>();
  const [, text = ''] = LEDGER_PAGE.split(`## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  for (const [, from = '', to = ''] of own.matchAll(/^\| ([\w, ]+) \| ([\w, ]+) \|/gm)) {
    const ends = to === 'any' ? ROW_STATES : to.split(', ');
    for (const each of from.split(', ')) moves.set(each, new Set([...(moves.get(each) ?? []), ...ends]));
  }
  return moves;
}

const CALLS_MOVE = movesIn('How an attempt moves');
const ROWS_MOVE = movesIn('How a row moves');

const MOST_STEPS = 2;

/** A group may move a call twice: what was settled late gives way at once. */
function isMove(moves: Moves, from: string, to: string, steps = MOST_STEPS): boolean {
  if (from === to) return true;
  const next = moves.get(from) ?? new Set();
  if (next.has(to)) return true;
  return steps > 1 && [...next].some((each) => isMove(moves, each, to, steps - 1));
}

export function requireMoves(before: Tables, now: Tables): void {
  for (const [id, { state, charged }] of before.calls) {
    const after = now.calls.get(id);
    promise(after !== undefined, `call ${id} is gone from the ledger`);
    promise(isMove(CALLS_MOVE, state, after.state), `call ${id} moved from ${state} to ${after.state}`);
    promise(
      (after.charged ?? 0) >= (charged ?? 0),
      `call ${id} was charged ${charged}, now ${after.charged}`,
    );
  }
  for (const [name, { state }] of before.rows) {
    const after = now.rows.get(name);
    promise(after !== undefined, `row ${name} is gone from the ledger`);
    promise(isMove(ROWS_MOVE, state, after.state), `row ${name} moved from ${state} to ${after.state}`);
  }
}

/** The raw answer is committed before anybody judges it: rule 8 of docs/internals/protocol.md. */
export function requireRepliesFirst(before: Tables, now: Tables): void {
  for (const call of before.calls.values()) {
    if (!isUnderWay(call)) continue;
    const { state } = now.calls.get(call.id) as CallRow;
    promise(state !== 'answered', `call ${call.id} was judged before its answer was committed`);
  }
}

// ------------------------------------------------------------------------------------------------ money

interface Sum {
  spent: number;
  held: number;
}

/** Whose budgets a call is booked in: those of the first one under its key of the vendor. */
const budgetsOf = ({ batch, account, day, month, kind }: CallRow): readonly string[] => [
  `batch ${batch} 0 0`,
  `share ${batch} ${account} 0`,
  `day  ${account} ${day}`,
  `month  ${account} ${month}`,
  ...(kind === 'retry' ? [`extra ${batch} 0 0`] : []),
];

function sumsOf({ calls }: Tables): ReadonlyMap<string, Sum> {
  const sums = new Map<string, Sum>();
  for (const call of calls.values()) {
    const payer = call.payer === null ? call : (calls.get(call.payer) as CallRow);
    for (const name of budgetsOf(payer)) {
      const sum = sums.get(name) ?? { spent: 0, held: 0 };
      sum.spent += call.charged ?? 0;
      sum.held += heldBy(call);
      sums.set(name, sum);
    }
  }
  return sums;
}

export function requireBudgets(now: Tables, begun: readonly CallRow[]): void {
  const sums = sumsOf(now);
  const asked = new Set(begun.filter(({ reserved }) => reserved > 0).flatMap(budgetsOf));
  for (const { kind, batch, account, period, cap, spent, held, overrun } of now.budgets) {
    const name = `${kind} ${batch} ${account} ${period}`;
    const sum = sums.get(name) ?? { spent: 0, held: 0 };
    const says = `${name} says ${spent} spent and ${held} held`;
    promise(spent === sum.spent && held === sum.held, `${says}, its calls ${sum.spent} and ${sum.held}`);
    promise(
      cap === null || spent + held <= cap + overrun,
      `${says}, above ${cap} and an overrun of ${overrun}`,
    );
    promise(cap === null || !asked.has(name) || spent + held <= cap, `${says}: a request above ${cap}`);
  }
}

/** In a batch a job pays for a lost call again once, if it left and cost: rule 10. What it bought is never too old for it: rule 15. */
export function requireOneRetry({ calls }: Tables): void {
  const retried = new Set<string>();
  for (const { id, key, batch, kind, prior, decided_by: by, state } of calls.values()) {
    const before = kind === 'refresh' ? calls.get(prior ?? 0) : undefined;
    const isOwn = before?.batch === batch && before.state === 'replaced';
    promise(!isOwn, `call ${id} replaces ${before?.id}, which ${batch} has bought itself`);
    if (kind !== 'retry' || by !== 'job' || state === 'uncharged') continue;
    promise(
      !retried.has(`${batch} ${key}`),
      `call ${id} is sent a third time in ${batch}, and no person said so`,
    );
    retried.add(`${batch} ${key}`);
  }
}

/** What the vendor's clock and ours may differ by where it tells whole seconds. */
const APART_MS = 2_000;

/** Money is booked in no day that has not come, once a vendor has told the time: rule 16. */
export function requireDays(begun: readonly CallRow[], trueMs: number): void {
  const today = Math.floor((trueMs + APART_MS) / DAY_MS);
  for (const { id, day, reserved } of begun)
    promise(
      reserved === 0 || day <= today,
      `call ${id} is booked in a day that is ${day - today} days ahead`,
    );
}

/** What was on its way to a commit when the stop came gets there within this time. */
const ON_ITS_WAY_MS = 100;

/** After a stop nothing new begins: rule 13. */
export function requireStopped(begun: readonly CallRow[], sinceMs: number): void {
  const [call] = sinceMs > ON_ITS_WAY_MS ? begun : [];
  promise(call === undefined, `call ${call?.id} begins ${sinceMs} ms after somebody asked to stop`);
}

// ------------------------------------------------------------------------------------------------ calls and rows

export function requireOneCurrent({ calls }: Tables): void {
  const current = new Map<string, number>();
  for (const { id, key, is_current: isCurrent, state } of calls.values()) {
    if (isCurrent === 0) continue;
    const other = current.get(key);
    promise(other === undefined, `calls ${other} and ${id} (${state}) are both current of one key`);
    current.set(key, id);
  }
}

/** So many requests may be lost by a crash at this moment. */
export function requireFewUnderWay({ calls }: Tables, concurrency: number): void {
  const perAccount = new Map<number, number>();
  for (const call of calls.values())
    if (isUnderWay(call)) perAccount.set(call.account, (perAccount.get(call.account) ?? 0) + 1);
  for (const [account, count] of perAccount)
    promise(
      count <= concurrency,
      `${count} calls of account ${account} are under way, at most ${concurrency}`,
    );
}

const WITH_ANSWER: ReadonlySet<string> = new Set(['matched', 'no_match', 'applied']);

export function requireRows({ calls, rows, batches }: Tables): void {
  const finished = new Set(batches.filter(({ state }) => state === 'finished').map(({ id }) => id));
  for (const [name, { batch, state, call }] of rows) {
    promise(state !== 'pending' || !finished.has(batch), `row ${name} is pending, and its batch is finished`);
    const on = call === null ? undefined : calls.get(call);
    if (on === undefined) continue;
    const isAnswered = on.charged !== null;
    promise(
      !WITH_ANSWER.has(state) || isAnswered,
      `row ${name} is ${state} by call ${call}, which is ${on.state}`,
    );
    promise(
      isAnswered === (on.charged !== null && on.has_reply === 1),
      `call ${call} is paid and has no reply`,
    );
  }
}
