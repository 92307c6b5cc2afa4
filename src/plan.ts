import { hash } from 'node:crypto';
import { type Account, requestsPerSecond } from './account.ts';
import { type CallKey, callKeyOf } from './call-key.ts';
import type { Dialect } from './dialect.ts';
import type { MappedInput } from './input.ts';
import type { Job } from './job.ts';
import { type Credits, credits, type LedgerReader } from './ledger.ts';
import { FingerprintSet } from './plan/fingerprint-set.ts';
import { callsAtWorst, replay } from './replay.ts';
import { dialectOperationOf } from './request.ts';
import type { InputRow, RowNumber } from './row.ts';

/**
 * The dry run: what a batch would buy, at most and probably. Never sends. Each row is counted once, as invalid, as a
 * duplicate of an earlier one, as bought before, as in doubt, or as to buy.
 */
export interface Plan {
  readonly rows: number;
  readonly invalid: number;
  readonly duplicates: number;
  readonly boughtBefore: number;
  readonly inDoubt: number;
  readonly toBuy: number;
  readonly credits: {
    /** What the run cannot exceed while the dialect's prices hold. */
    readonly most: Credits;
    /** By the account's match rate so far; without one as much as `most`. */
    readonly expected: Credits;
  };
  /** At the account's limit; undefined where no limit is known. */
  readonly seconds: number | undefined;
  /** Reasons of invalid rows, the most frequent first, with the first rows. */
  readonly reasons: readonly {
    readonly reason: string;
    readonly count: number;
    readonly firstRows: readonly RowNumber[];
  }[];
}

export interface PlanOrder {
  readonly job: Job;
  readonly account: Account;
  readonly dialect: Dialect;
  /** Undefined: there is no store yet, so nothing is known as bought. */
  readonly ledger: LedgerReader | undefined;
}

const FIRST_ROWS_SHOWN = 5;

export async function planRows(order: PlanOrder, input: MappedInput): Promise<Plan> {
  const matchRate = await order.ledger?.matchRate(order.account.identity, order.job.operation.name);
  const draft = new Draft(matchRate);
  for await (const row of input.format.rows(input.path)) await addRow(order, input, row, draft);
  return draft.plan(requestsPerSecond(order.account));
}

async function addRow(order: PlanOrder, input: MappedInput, row: InputRow, draft: Draft): Promise<void> {
  const { job, account, dialect, ledger } = order;
  const prepared = job.operation.prepare(input.columns.read(row), optionsOf(job));
  if (prepared.kind === 'invalid') return draft.addInvalid(row.row, prepared.reason);
  const calls = callsAtWorst(job.operation, prepared.input, account.identity);
  if (!draft.isNew(calls.map((call) => callKeyOf(account.identity, call)))) return draft.addDuplicate();
  const known = await replay(job.operation, prepared.input, account.identity, async (_, key) => {
    const [state] = (await ledger?.find([key])) ?? [];
    return state ?? { kind: 'unknown' };
  });
  if (known.kind === 'ended') return draft.addKnown('answered');
  if (known.at.kind === 'in_doubt') return draft.addKnown('in_doubt');
  draft.addToBuy(
    calls.map((call) => dialectOperationOf(dialect, call).credits.most),
    chargesMisses(dialect),
  );
}

export function optionsOf({ waterfall }: Job): { readonly waterfall?: readonly string[] } {
  return waterfall === undefined ? {} : { waterfall };
}

function chargesMisses({ answers, operations }: Dialect): boolean {
  const rules = [...answers, ...Object.values(operations).flatMap((operation) => operation.answers ?? [])];
  return rules.some(({ means, charged }) => charged === true && means !== 'found');
}

/** A plan in the making. */
class Draft {
  readonly #matchRate: number | undefined;
  readonly #seen = new FingerprintSet();
  readonly #reasons = new Map<string, { count: number; firstRows: RowNumber[] }>();
  #counts = { rows: 0, invalid: 0, duplicates: 0, boughtBefore: 0, inDoubt: 0, toBuy: 0 };
  #most = 0;
  #expected = 0;
  #requests = 0;

  constructor(matchRate: number | undefined) {
    this.#matchRate = matchRate;
  }

  isNew(keys: readonly CallKey[]): boolean {
    return this.#seen.add(hash('sha256', keys.join(), 'hex'));
  }

  addInvalid(row: RowNumber, reason: string): void {
    this.#counts.rows += 1;
    this.#counts.invalid += 1;
    // Reasons quote the cell, so there may be as many as rows; the most frequent of the first thousand will do.
    const entry = this.#reasons.get(reason) ?? { count: 0, firstRows: [] };
    entry.count += 1;
    if (entry.firstRows.length < FIRST_ROWS_SHOWN) entry.firstRows.push(row);
    if (entry.count > 1 || this.#reasons.size < 1_000) this.#reasons.set(reason, entry);
  }

  addDuplicate(): void {
    this.#counts.rows += 1;
    this.#counts.duplicates += 1;
  }

  addKnown(kind: 'answered' | 'in_doubt'): void {
    this.#counts.rows += 1;
    if (kind === 'answered') this.#counts.boughtBefore += 1;
    else this.#counts.inDoubt += 1;
  }

  /** @param worst the most that each call of the waterfall may cost, in order. */
  addToBuy(worst: readonly number[], everyCallCharges: boolean): void {
    const most = everyCallCharges ? worst.reduce((sum, each) => sum + each, 0) : Math.max(...worst);
    const matches = this.#matchRate === undefined ? 1 : 1 - (1 - this.#matchRate) ** worst.length;
    this.#counts.rows += 1;
    this.#counts.toBuy += 1;
    this.#most += most;
    this.#expected += most * matches;
    this.#requests += this.#matchRate ? matches / this.#matchRate : worst.length;
  }

  plan(requestsPerSecond: number | undefined): Plan {
    const reasons = [...this.#reasons].map(([reason, entry]) => ({ reason, ...entry }));
    return {
      ...this.#counts,
      credits: { most: credits(this.#most), expected: credits(Math.round(this.#expected)) },
      seconds: requestsPerSecond === undefined ? undefined : Math.ceil(this.#requests / requestsPerSecond),
      reasons: reasons.sort((a, b) => b.count - a.count),
    };
  }
}
