import { Writable } from 'node:stream';
import { answerPlaceOf } from '../../client/dialect.ts';
import { invariant, StopError, stop } from '../../core/errors.ts';
import { counted } from '../../core/plain-text.ts';
import { openMappedInput } from '../../files/input.ts';
import {
  besideInput,
  chooseDestination,
  type Destination,
  notedOnce,
  type TogetherFiles,
  usualName,
  writeTogether,
} from '../../files/output/output.ts';
import { outputNameOf } from '../../job/job-settings.ts';
import {
  type Batch,
  type Credits,
  credits,
  heldCredits,
  type Ledger,
  type Money,
} from '../../ledger/ledger.ts';
import { batchPlaceOf } from '../../plan/batch-key.ts';
import type { RunOptions } from '../../plan/context.ts';
import { mostAdded, mostAsked, type Plan } from '../../plan/plan.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { planPart } from '../../plan/sample.ts';
import { noteReached, overSharedBudget } from '../budget.ts';
import { chooseAll } from '../choose.ts';
import { openSpender } from '../run-job.ts';
import { saveJob } from '../save-job.ts';
import { stoppable } from '../stoppable.ts';
import type { RunSummary } from '../summary.ts';

/**
 * Several operations over one list: each has a batch of its own, which is resumed, settled and exported like any other. They share
 * one budget, and one file has what all of them found. They run one after the other, so that two of them never ask one account at the
 * same time; a
 * crash leaves the batches that have begun, and the same command goes on with them.
 */

export interface TogetherSummary {
  /** One for each operation that has begun, in their order. */
  readonly runs: readonly RunSummary[];
  /** Operations that the run did not come to, because one before them was stopped. */
  readonly waiting: readonly string[];
  readonly files: TogetherFiles;
  /** The budget with which all operations could be finished; undefined where none is reached. */
  readonly budgetToFinish: number | undefined;
  readonly stopped: StopError | undefined;
}

/** @throws StopError when the run cannot begin; what stops it later is `stopped` in the summary. */
export async function runTogether(options: RunOptions): Promise<TogetherSummary> {
  const { planId, saveJobAs, ...shared } = options;
  refuseSingles(options);
  const jobs = await chooseAll(options);
  const plans = plansOf(planId, jobs);
  const spender = await openSpender(sandboxOf(jobs), options);
  try {
    const list = new SharedList(spender.ledger, jobs, options);
    if (saveJobAs !== undefined) await saveJob(saveJobAs, jobs, options, spender.ledger);
    const destination = await list.destination();
    const budget = await list.budget();
    const runs: RunSummary[] = [];
    for (const [at, job] of jobs.entries()) {
      const held = heldCredits(await list.moneyBut(job));
      const mine = budget === undefined ? undefined : credits(Math.max(0, budget - held));
      const order = { ...shared, planId: plans[at], output: nowhere(), budget: mine, askBudget: undefined };
      const summary = await stoppable(options.signal, (signal) => spender.run(job, { ...order, signal }));
      runs.push(await list.ofAll(job, summary, budget));
      await list.nameOutputs();
      if (summary.stopped !== undefined) break;
    }
    const last = runs.at(-1);
    invariant(last !== undefined, 'at least one operation has run');
    const { stopped, budgetToFinish } = last;
    const isLeft = stopped !== undefined && stopped.exitCode >= 128;
    const files = isLeft ? {} : await list.write(destination);
    return {
      ...{ runs, files, stopped },
      waiting: jobs.slice(runs.length).map(({ job }) => job.operation.name),
      budgetToFinish,
    };
  } finally {
    await spender.close(jobs.map(({ account }) => account));
  }
}

/** @throws StopError `usage` for an option that is about one batch. */
function refuseSingles(options: RunOptions): void {
  if (options.detach !== true) return;
  const fact = 'Workers run the batches of several operations side by side, so they cannot share one budget.';
  throw stop('usage', fact, 'Leave --detach out, or run each operation with it and a budget of its own.');
}

/** The plan of each operation, in their order. @throws StopError `usage` where it is not one for each. */
function plansOf(planId: string | undefined, jobs: readonly ResolvedJob[]): readonly (string | undefined)[] {
  const plans = planId?.split(',') ?? [];
  if (planId === undefined || plans.length === jobs.length) return plans;
  const fact = `--plan names ${counted(plans.length, 'plan')}, but there are ${jobs.length} operations.`;
  throw stop('usage', fact, 'Name the id of each, in the order of the operations, with commas between them.');
}

/** @throws StopError `account` where play money and real money would share a budget. */
function sandboxOf(jobs: readonly ResolvedJob[]): boolean {
  const [isPlay = false, ...others] = jobs.map(({ account }) => account.sandbox);
  if (others.every((each) => each === isPlay)) return isPlay;
  const next = 'Name the account of each job, or run them one after the other.';
  throw stop('account', 'One operation would run on play money, and another would not.', next);
}

/** What a batch writes by itself is not wanted: one file has it all. */
function nowhere(): NodeJS.WritableStream {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

class SharedList {
  readonly #ledger: Ledger;
  readonly #jobs: readonly ResolvedJob[];
  readonly #options: RunOptions;

  constructor(ledger: Ledger, jobs: readonly ResolvedJob[], options: RunOptions) {
    this.#ledger = ledger;
    this.#jobs = jobs;
    this.#options = options;
  }

  async #inputFor({ job }: ResolvedJob) {
    return openMappedInput(this.#options.file, job, this.#ledger);
  }

  /** @throws StopError `output` before anything is paid for when it could not be written. */
  async destination(): Promise<Destination> {
    const [first] = this.#jobs;
    invariant(first !== undefined, 'at least one operation is named');
    const { output } = this.#options;
    const input = await this.#inputFor(first);
    const name = output === undefined ? await this.#freeName(input.path, first.account.sandbox) : undefined;
    const wanted = { named: output || undefined, sandbox: first.account.sandbox, name };
    return chooseDestination(input, { onExisting: 'replace' }, wanted);
  }

  /** The usual name, unless it is that of the output of one batch. */
  async #freeName(path: string, sandbox: boolean): Promise<string> {
    const usual = usualName(sandbox);
    const place = besideInput(path, sandbox, usual);
    const isTaken = (await this.#ledger.batches()).some(({ outputPath }) => outputPath === place);
    if (!isTaken) return usual;
    const all = this.#jobs.map(({ job }) => job.operation.name).join('+');
    return sandbox ? `${all}.${usual}` : all;
  }

  /** What the batches of the other operations hold of the budget. */
  async moneyBut(job: ResolvedJob | undefined): Promise<Omit<Money, 'cap'>> {
    let [spent, reserved, inDoubt] = [0, 0, 0];
    for (const { of, batch } of await this.#begun()) {
      if (of === job) continue;
      const money = await this.#ledger.batchMoney(batch.id);
      spent += money.spent;
      reserved += money.reserved;
      inDoubt += money.inDoubt;
    }
    return { spent: credits(spent), reserved: credits(reserved), inDoubt: credits(inDoubt) };
  }

  /**
   * A run that the budget has stopped, with the numbers of what was named: one budget for all operations, those included that the
   * run did not come to.
   */
  async ofAll(job: ResolvedJob, run: RunSummary, budget: Credits | undefined): Promise<RunSummary> {
    const { stopped, money } = run;
    if (stopped === undefined || run.budgetToFinish === undefined) return run;
    const others = await this.moneyBut(job);
    const held = heldCredits(others);
    const all = {
      cap: budget ?? credits(held + (money.cap ?? 0)),
      spent: credits(others.spent + money.spent),
      reserved: credits(others.reserved + money.reserved),
      inDoubt: credits(others.inDoubt + money.inDoubt),
    };
    let budgetToFinish = held + run.budgetToFinish;
    for (const each of this.#jobs.slice(this.#jobs.indexOf(job) + 1))
      budgetToFinish += mostAdded(await this.#planOf(each));
    for (const { batch } of await this.#begun()) await noteReached(this.#ledger, batch.id, budgetToFinish);
    return { ...run, budgetToFinish, stopped: overSharedBudget(stopped, all, held) };
  }

  /** The most that all may ever spend; undefined where the accounts limit it. @throws StopError `consent`. */
  async budget(): Promise<Credits | undefined> {
    const { budget, askBudget } = this.#options;
    const named = budget ?? this.#jobs[0]?.job.budget;
    const isLimited = this.#jobs.every(
      ({ account }) => account.sandbox || account.budget.perDay !== undefined,
    );
    if (named !== undefined || isLimited) return named;
    const plans: Plan[] = [];
    for (const each of this.#jobs) plans.push(await this.#planOf(each));
    const plan = sumOf(plans);
    const held = heldCredits(await this.moneyBut(undefined));
    if (mostAsked(plan) === 0) return credits(held);
    const agreed = await askBudget?.(plan);
    if (agreed !== undefined) return credits(held + agreed);
    const least = plans.reduce((sum, each) => sum + mostAdded(each), held);
    throw new StopError({
      code: 'consent',
      message: `This run could spend up to ${mostAsked(plan)} credits, and nothing limits it.`,
      next: `Say how much all operations together may spend with --budget ${least}, or in the job.`,
      leastBudget: least,
    });
  }

  async #planOf(job: ResolvedJob): Promise<Plan> {
    const { refresh, limit, sample } = this.#options;
    const context = { ...job, ledger: this.#ledger, refresh, limit, sample };
    const input = await this.#inputFor(job);
    const { key } = await batchPlaceOf(context, input);
    return planPart(context, input, key);
  }

  /**
   * An export of one batch by itself gets a name of its own, so that it never takes the place of what all have found. Each knows
   * the others, for an export of all together.
   */
  async nameOutputs(): Promise<void> {
    const begun = await this.#begun();
    const together = begun.map(({ batch }) => batch.id);
    for (const { of, batch } of begun) {
      const { name } = of.job.operation;
      const isNamed = batch.outputPath !== undefined || outputNameOf(batch.settings) !== undefined;
      const own = of.account.sandbox ? `${name}.${usualName(true)}` : name;
      const settings = { ...batch.settings, together, ...(isNamed ? {} : { output_name: own }) };
      await this.#ledger.changeBatch(batch.id, { settings });
    }
  }

  /** The operations that have begun, also those that this run did not come to, each with its batch. */
  async #begun(): Promise<readonly { readonly of: ResolvedJob; readonly batch: Batch }[]> {
    const begun = [];
    for (const of of this.#jobs) {
      const { existing } = await batchPlaceOf({ ...of, ledger: this.#ledger }, await this.#inputFor(of));
      if (existing !== undefined) begun.push({ of, batch: existing });
    }
    return begun;
  }

  async write(destination: Destination): Promise<TogetherFiles> {
    const begun = await this.#begun();
    const parts = begun.map(({ of: { job, dialect }, batch }) => {
      return { batch, job, answerPlace: answerPlaceOf(dialect, job.operation.name) };
    });
    const [first] = this.#jobs;
    invariant(first !== undefined, 'at least one operation is named');
    return writeTogether({
      ledger: this.#ledger,
      ...{ parts, destination, input: await this.#inputFor(first) },
      note: notedOnce((event) => this.#options.onEvent?.(event)),
      noteWritten: (path, sha256s) => this.#ledger.noteWritten(path, sha256s, begun[0]?.batch.id),
    });
  }
}

/** One plan of several over the same rows, for a person who agrees to their price together. */
export function sumOf(plans: readonly Plan[]): Plan {
  const sum = (of: (plan: Plan) => number): number => plans.reduce((total, plan) => total + of(plan), 0);
  const [first] = plans;
  invariant(first !== undefined, 'at least one operation is planned');
  const ofParts = (of: (part: NonNullable<Plan['part']>) => number): number =>
    sum(({ part }) => (part === undefined ? 0 : of(part)));
  return {
    ...(first.part && {
      part: {
        rows: ofParts(({ rows }) => rows),
        most: credits(ofParts(({ most }) => most)),
        atRisk: credits(ofParts(({ atRisk }) => atRisk)),
      },
    }),
    rows: first.rows,
    invalid: sum(({ invalid }) => invalid),
    duplicates: sum(({ duplicates }) => duplicates),
    boughtBefore: sum(({ boughtBefore }) => boughtBefore),
    inDoubt: sum(({ inDoubt }) => inDoubt),
    toBuy: sum(({ toBuy }) => toBuy),
    credits: {
      most: credits(sum((plan) => plan.credits.most)),
      expected: credits(sum((plan) => plan.credits.expected)),
    },
    seconds: plans.some(({ seconds }) => seconds === undefined)
      ? undefined
      : sum(({ seconds = 0 }) => seconds),
    reasons: plans.flatMap(({ reasons }) => reasons),
  };
}
