import { setTimeout as delay } from 'node:timers/promises';
import { brokenByFill, type Caps, type FillRow, goodCell, isBlank, type Told } from './fill-judge.ts';
import { FILL_ORDER, STOPS, writeAccounts, writeJob, writeList } from './fill-list.ts';
import { CONCURRENCY, FINDER_NAMES, type FillVendor, type FillVendors } from './finders.ts';
import { requireCode, type Tally } from './kills.ts';
import type { DoubtView, LedgerView } from './ledger-view.ts';
import type { Ended } from './program.ts';
import { LEAVES_DOUBT } from './promises.ts';
import type { Order, Workplace } from './workplace.ts';

/**
 * What befalls a list on its way: where it is disturbed, budgets are reached, one key dies and one vendor is away for a while, and each
 * is mended when a run has ended by it. In the end what is in doubt is settled by the books, and the judge looks.
 */

export const AMPLE: Omit<Caps, 'sinceMs'> = { total: 1_000_000, accounts: {} };

/** A run that ends so often by itself, and is mended each time, goes nowhere. */
const MOST_STOPS = 60;

/** The budget and a share that are reached, a key that dies, and a vendor that is away. A short list may not come to the second share. */
const DISTURBANCES = 4;

/** Rounds of settling what is in doubt: each loses a share of what it asks anew. */
const MOST_ROUNDS = 10;

/** Where the ledger is. */
export interface FillLedger {
  /** As it is typed. */
  readonly store: string;
  view(): Promise<LedgerView>;
}

interface FillParts {
  readonly place: Workplace;
  readonly vendors: FillVendors;
  readonly list: readonly FillRow[];
  readonly ledger: FillLedger;
  readonly isDisturbed: boolean;
  readonly tally: Tally;
}

/** The course of a list, from the first run to the judge. */
export class FillCourse implements AsyncDisposable {
  readonly parts: FillParts;
  readonly caps: Caps[] = [];
  readonly killedMs: number[] = [];
  readonly #deadKeys: { readonly of: string; readonly fromMs: number; toMs: number }[] = [];
  readonly #told: Told[] = [];
  readonly #watch: NodeJS.Timeout;
  #watching: Promise<void> = Promise.resolve();
  #hasLeft = false;
  #stops = 0;
  #absent = 0;
  /** What has happened of all that is to disturb. */
  readonly #met = new Set<string>();

  constructor(parts: FillParts) {
    this.parts = parts;
    this.#watch = setInterval(() => this.#look(), 20);
  }

  /** The command. */
  get order(): Order {
    return { ...FILL_ORDER, store: this.parts.ledger.store };
  }

  async write(): Promise<void> {
    writeList(this.parts.place, this.parts.list);
    await writeAccounts(this.parts.place, this.parts.vendors);
    this.#setCaps(this.parts.isDisturbed ? this.#firstCaps() : AMPLE);
    this.parts.tally.see('rows', this.parts.list.length);
  }

  /** Whether each request was within what the budgets allowed. */
  look(): void {
    this.#compareWithCaps();
  }

  /** All that has ended an account or holds its rows is mended, whatever a run has said. */
  async mendAll(): Promise<void> {
    await this.#watching;
    await this.#raise(false);
    for (const code of [77, 75]) await this.#mend({ code, stderr: '' });
  }

  /** Once more the command. What ended it by itself is mended. */
  async run(type: () => Promise<Ended>): Promise<Ended> {
    const ended = await type();
    await this.#watching;
    if (ended.signal !== null) this.killedMs.push(Date.now());
    this.#compareWithCaps();
    if (STOPS.includes(ended.code ?? 0)) await this.#mend(ended);
    return ended;
  }

  /** No one kills any more; what is in doubt is settled by the books. */
  async runToTheEnd(): Promise<void> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      let ended: Ended;
      do
        ended = await this.run(async () =>
          requireCode(await this.parts.place.runHere(this.order), [0, 3, ...STOPS]),
        );
      while (STOPS.includes(ended.code ?? 0));
      if ((await this.#settle()) === 0) return;
    }
    throw new Error(
      `in doubt after ${MOST_ROUNDS} rounds: ${JSON.stringify((await this.parts.ledger.view()).doubts)}`,
    );
  }

  async judge(): Promise<void> {
    const { list, vendors, isDisturbed, tally, place, ledger } = this.parts;
    const { caps, killedMs } = this;
    const history = { caps, killedMs, deadKeys: this.#deadKeys, told: this.#told };
    const output = place.rows();
    tally.forbid(brokenByFill({ list, output, vendors, history, isCalm: !isDisturbed }));
    const { spent } = await ledger.view();
    tally.see('credits charged, booked', `${vendors.charged} ≤ ${spent}`);
    tally.forbid({ 'credits charged that are not booked': Math.max(vendors.charged - spent, 0) });
    const lost = vendors.each.flatMap(({ asked }) =>
      asked.filter(({ fault, isPoll }) => LEAVES_DOUBT.test(fault ?? '') && !isPoll),
    );
    tally.doubts.lost += lost.length + this.#absent;
    for (const { name, asked, charged } of vendors.each)
      tally.see(`${name}: requests, credits`, `${asked.length}, ${charged}`);
    const isLater = (row: FillRow, at: number): boolean => {
      const first = FINDER_NAMES.find(
        (name) => goodCell(vendors.all[name], vendors.all[name].questionOf(row), vendors.all) !== undefined,
      );
      return ![first, '', 'list'].includes(output[at]?.Email_source);
    };
    tally.see('addresses for which one in front had ended', list.filter(isLater).length);
    if (isDisturbed)
      tally.forbid({ 'disturbances that did not happen': Math.max(DISTURBANCES - this.#met.size, 0) });
    const filled = list.map((row, at) => (isBlank(row.email) ? (output[at]?.Email_source ?? '') : 'list'));
    for (const [source, rows] of Map.groupBy(filled, (each) => each))
      tally.see(`addresses of ${source || 'nobody'}`, rows.length);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#watch);
    await this.#watching.catch(() => {});
  }

  // --------------------------------------------------------------------------------------------- disturbances

  /** One key dies, and one vendor goes away, each after so many requests to it. */
  #look(): void {
    if (!this.parts.isDisturbed) return;
    const { bert, cleo } = this.parts.vendors.all;
    const after = this.parts.list.length / 12;
    const work: Promise<void>[] = [];
    if (this.#deadKeys.length === 0 && cleo.asked.length >= after) {
      this.#deadKeys.push({ of: 'cleo', fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY });
      work.push(cleo.revoke());
    }
    if (!this.#hasLeft && bert.asked.length >= after) {
      this.#hasLeft = true;
      this.#absent += CONCURRENCY;
      work.push(bert.leave());
    }
    if (work.length > 0) this.#watching = Promise.all([this.#watching, ...work]).then(() => {});
  }

  #firstCaps(): Omit<Caps, 'sinceMs'> {
    const rows = this.parts.list.length;
    return {
      total: Math.ceil(rows * 0.4),
      accounts: { anna: Math.ceil(rows / 16), dana: Math.ceil(rows / 30) },
    };
  }

  #meet(what: string): void {
    this.#met.add(what);
    this.parts.tally.see(`${what}, and it was mended`, 1);
  }

  #setCaps(caps: Omit<Caps, 'sinceMs'>): void {
    this.caps.push({ ...caps, sinceMs: Date.now() });
    writeJob(this.parts.place, { credits: caps.total, accounts: caps.accounts });
  }

  #compareWithCaps(): void {
    const { total, accounts } = this.caps.at(-1) ?? AMPLE;
    const { each, charged } = this.parts.vendors;
    const over = each.filter((vendor) => vendor.charged > (accounts[vendor.name] ?? total));
    this.parts.tally.see('looks at the books', 1);
    this.parts.tally.forbid({
      'looks above the budget of the list': Number(charged > total),
      'looks above the share of an account': over.length,
    });
  }

  async #mend({ code, stderr }: Pick<Ended, 'code' | 'stderr'>): Promise<void> {
    this.#stops += 1;
    if (this.#stops > MOST_STOPS) throw new Error(`stopped ${MOST_STOPS} times: ${stderr}`);
    const [key] = this.#deadKeys;
    const { bert, cleo } = this.parts.vendors.all;
    if (code === 4) await this.#raise(true);
    if (code === 77 && key?.toMs === Number.POSITIVE_INFINITY) {
      cleo.mendKey();
      await writeAccounts(this.parts.place, this.parts.vendors);
      key.toMs = Date.now();
      this.#meet('a key had died');
    }
    if ((code === 75 || code === 2) && bert.isAway) {
      await bert.comeBack();
      this.#meet('a vendor was away');
    } else if (code === 2) throw new Error(`the run ended with 2: ${stderr}`);
    else if (code === 75) await delay(1_000);
  }

  /** What has hardly any room left is raised by a little, so that it is reached again; where a run was stopped without, all of it. */
  async #raise(isStopped: boolean): Promise<void> {
    const { total, accounts } = this.caps.at(-1) ?? AMPLE;
    const { each, charged } = this.parts.vendors;
    const { doubts } = await this.parts.ledger.view();
    const step = Math.ceil(this.parts.list.length / 12);
    const isTotal = total - charged - doubts.length < 2;
    const reached = each.filter(({ name, charged: spent }) => {
      const held = doubts.filter(({ account }) => account === name).length;
      return (accounts[name] ?? Number.POSITIVE_INFINITY) - spent - held < 1;
    });
    for (const { name } of reached) this.#meet(`the share of ${name} was reached`);
    if (isTotal) this.#meet('the budget of the list was reached');
    const isAll = isStopped && !isTotal && reached.length === 0;
    const raised = Object.entries(accounts).map(([name, cap]) => {
      const isRaised = isAll || reached.some((vendor) => vendor.name === name);
      return [name, cap + (isRaised ? step : 0)] as const;
    });
    const more = isTotal || isAll ? 3 * step : 0;
    this.#setCaps({ total: total + more, accounts: Object.fromEntries(raised) });
  }

  // ---------------------------------------------------------------------------------------------------- doubts

  /** Decides about every call in doubt as a person does who has the vendor's bill. @returns how many there were. */
  async #settle(): Promise<number> {
    const { doubts } = await this.parts.ledger.view();
    for (const doubt of doubts) {
      const vendor = this.parts.vendors.each.find(({ name }) => name === doubt.account);
      if (vendor === undefined) throw new Error(`${doubt.account} is no vendor`);
      const decision = decisionOf(doubt, vendor);
      const words = ['settle', doubt.batch, String(doubt.row), ...decision];
      const { stdout, stderr } = await this.parts.place.typeHere([
        ...words,
        '--store',
        this.parts.ledger.store,
        '--json',
      ]);
      if (!/"calls":1\b/.test(stdout)) throw new Error(`settle said ${stdout}${stderr}`);
      const [of, question, isDone] = [
        vendor.name,
        vendor.questionIn(doubt.parameters),
        decision[0] !== '--not-done',
      ];
      this.#told.push({ of, question, isDone, atMs: Date.now() });
    }
    this.parts.tally.doubts.found += doubts.length;
    return doubts.length;
  }
}

/** What a book says of a call with a lost answer. */
function decisionOf({ operation, parameters }: DoubtView, vendor: FillVendor): readonly string[] {
  const question = vendor.questionIn(parameters);
  const isCharged = vendor.asked.some((each) => each.question === question && each.credits > 0);
  if (!isCharged) return ['--not-done'];
  const cell = vendor.cellOf(question);
  if (cell === undefined) return ['--answer', 'no_match'];
  return ['--answer', `${TOLD_AS[operation as keyof typeof TOLD_AS]}=${cell}`];
}

const TOLD_AS = { 'find-email': 'email', 'enrich-person': 'job_title', 'check-email': 'verdict' };
