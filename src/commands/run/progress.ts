import { type Clock, localTime } from '../../core/clock.ts';
import { percentOf, rowsIn } from '../../core/counts.ts';
import type { RunEvent } from '../../core/events.ts';
import { counted, foreignWords, grouped, linesOf, listed, plainText } from '../../core/plain-text.ts';
import type { RowNumber } from '../../core/row.ts';
import { settingsKept } from '../../job/job-settings.ts';
import type { Batch, LedgerReader, Money } from '../../ledger/ledger.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { BatchObject, GoalObject } from '../../objects/batch-object.ts';
import type { Watcher } from '../../plan/context.ts';
import { tableOf } from '../../run/batch-table.ts';
import { chosenOf } from '../../run/batches.ts';
import type { TableOrder } from '../../run/table-order.ts';
import { TimeLeft } from '../../run/time-left.ts';
import type { Console } from '../shared/command.ts';
import { type BatchBegun, finishedWords, rowsWords } from '../shared/spending.ts';

interface Figures extends Pick<BatchObject, 'counts'> {
  readonly money: Money;
  readonly chosen: GoalObject | undefined;
}

/**
 * Shows a changing line and the newest finds on a terminal, and one line a minute elsewhere. It only reads
 * the ledger.
 */
export class Progress implements Watcher {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #timer: NodeJS.Timeout;
  /** How many rows the run tries first; undefined for none. */
  readonly #sample: number | undefined;
  readonly #timeLeft = new TimeLeft();
  #batch: BatchBegun | undefined;
  /** The work that is going on beside the rows. */
  #phase: string | undefined;
  #look: (() => Promise<void>) | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** The figures of the batch from the ledger, as `status` and the page show them. */
  #figures: Figures | undefined;
  /** Found rows that are not shown yet. `#finds` holds the lines of the newest ones that are. */
  #found: RowNumber[] = [];
  #finds: readonly string[] = [];
  /** When the ledger is read next. */
  #dueMs: number;
  #isSaid = false;
  #pausedUntilMs = 0;
  #saidUntilMs = 0;

  /** When it was last said that only later answers are waited for. */
  #waitSaidMs = Number.NEGATIVE_INFINITY;
  /** Whether an outage of the vendor was reported since the last answer. */
  #isOutageSaid = false;
  readonly #maxPauseMs: number | undefined;

  /** @param maxPauseMs the longest time in which nothing may move; left out: for ever. */
  constructor(
    console: Console,
    clock: Clock,
    { sample, maxPauseMs }: { sample?: number; maxPauseMs?: number } = {},
  ) {
    this.#maxPauseMs = maxPauseMs;
    this.#console = console;
    this.#clock = clock;
    this.#sample = sample;
    this.#dueMs = clock.monotonicMs() + (console.watched ? 0 : FIRST_LINE_MS);
    this.#timer = setInterval(() => void this.#show(), LOOK_EVERY_MS).unref();
  }

  onEvent(event: RunEvent): void {
    switch (event.kind) {
      case 'batch':
        this.#batch = event;
        this.#console.say(begunLine(event));
        break;
      case 'answered':
        this.#isOutageSaid = false;
        break;
      case 'row':
        this.#timeLeft.rowEnded();
        if (event.outcome === 'matched') this.#found = [...this.#found, event.row].slice(-MOST_FINDS);
        break;
      case 'paused':
        this.#hearPause(event);
        break;
      case 'waiting':
        this.#hearWaiting(event);
        break;
      case 'stopping':
        this.#phase = 'stopping';
        if (event.inFlight > 0)
          this.#console.say(
            `Stopping: ${counted(event.inFlight, 'request')} in flight; their answers are kept.`,
          );
        break;
      case 'writing':
        this.#phase = 'writing the output';
        break;
      case 'note':
        this.#console.say(event.message);
        if (event.ended !== undefined) this.#console.soFar({ ended: event.ended });
        break;
      default:
    }
  }

  preparing(what: string): void {
    this.#phase = what;
  }

  async begin(ledger: LedgerReader, batch: Batch): Promise<void> {
    this.#phase = undefined;
    this.#look = async () => {
      const counts = await ledger.counts(batch.id);
      const money = await ledger.batchMoney(batch.id);
      this.#figures = { counts, money, chosen: await chosenOf(ledger, batch) };
      const newest = this.#showsFinds ? this.#found.splice(0) : [];
      for (const from of newest)
        this.#finds = [...this.#finds, ...(await foundRows(ledger, batch, { from, limit: 1 }))].slice(
          -MOST_FINDS,
        );
    };
    await this.#look();
    this.#timeLeft.begin(this.#clock.monotonicMs());
  }

  /**
   * Reads the figures once more, so that they are those of the summary, and shows three found rows before it.
   */
  async end(ledger: LedgerReader, batch: Batch): Promise<void> {
    await this.#looking;
    await this.#look?.();
    this.#look = undefined;
    if (!this.#showsFinds) return;
    this.#finds = await foundRows(ledger, batch, { where: { _status: 'matched' }, limit: MOST_FINDS });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#console.status();
    this.#phase = undefined;
    if (this.#isSaid) this.#console.say(this.#line());
    this.#isSaid = false;
    for (const line of this.#finds) this.#console.say(line);
    this.#finds = [];
  }

  get #showsFinds(): boolean {
    return this.#console.watched && !this.#console.json;
  }

  #hearWaiting({ calls, accounts, untilMs }: Extract<RunEvent, { readonly kind: 'waiting' }>): void {
    this.#phase = undefined;
    if (calls === 0) return;
    const until = untilMs === undefined ? '' : ` until ${localTime(untilMs)}`;
    this.#phase = `waiting for ${counted(calls, 'answer')} of ${listed(accounts)}${until}`;
    // The wait begins anew with each answer, and is said once a minute at most.
    if (this.#clock.monotonicMs() < this.#waitSaidMs + PLAIN_LINE_EVERY_MS) return;
    this.#waitSaidMs = this.#clock.monotonicMs();
    const end =
      untilMs === undefined
        ? 'They are asked for until they are there'
        : `They are asked for until ${localTime(untilMs)}, and longer by each that comes (--max-pause)`;
    this.#console.say(
      `Nothing is left but ${counted(calls, 'answer')} of ${listed(accounts)}, which come later. ${end}.`,
    );
  }

  #hearPause({ untilMs, why, asked, isProbed }: Extract<RunEvent, { readonly kind: 'paused' }>): void {
    const forMs = untilMs - this.#clock.wallMs();
    this.#pausedUntilMs = untilMs;
    this.#timeLeft.paused(this.#clock.monotonicMs(), this.#clock.monotonicMs() + forMs);
    // One answer may announce a pause by a header and by its status.
    if (forMs <= LONG_PAUSE_MS || untilMs - this.#saidUntilMs < 1000) return;
    this.#saidUntilMs = untilMs;
    if (asked || isProbed === true) this.#console.say(`Paused until ${localTime(untilMs)}: ${why}.`);
    else if (!this.#isOutageSaid) this.#sayOutage(why);
  }

  /**
   * A pause that the vendor asked for has an end, and so has a wait for a probe. An outage is reported once,
   * with the time at which the run gives up.
   */
  #sayOutage(why: string): void {
    this.#isOutageSaid = true;
    const end =
      this.#maxPauseMs === undefined
        ? 'you stop it, or give a --max-pause'
        : `nothing has moved for ${formatDuration(this.#maxPauseMs)} (--max-pause)`;
    this.#console.say(`Paused: ${why}. It is tried until ${end}.`);
  }

  /** Shows lines that replace themselves on a terminal, and one line a minute elsewhere. */
  async #show(): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    if (begunMs < this.#dueMs || this.#console.quiet) return;
    this.#dueMs = Number.POSITIVE_INFINITY;
    // If the ledger cannot be read now, the former figures are shown: a watcher never stops a run.
    this.#looking = this.#look?.().catch(() => {}) ?? Promise.resolve();
    await this.#looking;
    const tookMs = this.#clock.monotonicMs() - begunMs;
    if (this.#console.watched) {
      this.#console.status(...this.#finds, this.#line());
      this.#dueMs = begunMs + tookMs * SHARE;
    } else {
      this.#console.say(this.#line());
      this.#isSaid = true;
      this.#dueMs = begunMs + PLAIN_LINE_EVERY_MS;
    }
  }

  #line(): string {
    if (this.#batch === undefined || this.#figures === undefined)
      return `Preparing: ${this.#phase ?? 'opening the store'}`;
    const { counts, money, chosen } = this.#figures;
    const { rows: ofFile, rowsBeyond = 0, isChange } = this.#batch;
    const most = this.#sample ?? Number.POSITIVE_INFINITY;
    const { rows, settled } = chosen ?? {
      rows: Math.min(most, ofFile + rowsBeyond),
      settled: rowsIn(counts),
    };
    const finished = Math.min(settled, rows);
    const { cap = Number.POSITIVE_INFINITY, spent, inDoubt } = money;
    const remainingCredits = Math.max(0, cap - spent - inDoubt);
    const affordable = (remainingCredits * finished) / Math.max(spent, 1);
    return linesOf(
      `${rows === 0 ? 100 : percentOf(finished, rows)} %`,
      `${grouped(finished)}/${grouped(rows)} rows`,
      // This part comes before the others, because a narrow terminal may cut those.
      this.#phase ?? this.#rest(Math.min(rows - finished, spent === 0 ? rows : affordable)),
      isChange ? `${grouped(counts.applied ?? 0)} applied` : `${grouped(counts.matched ?? 0)} matched`,
      // A change usually costs nothing.
      (isChange !== true || spent > 0) && [
        counted(spent, 'credit'),
        ...(inDoubt > 0 ? [`${grouped(inDoubt)} in doubt`] : []),
        ...(Number.isFinite(remainingCredits) ? [`${grouped(remainingCredits)} of the budget left`] : []),
      ],
    ).join(' · ');
  }

  #rest(rowsLeft: number): string | undefined {
    const leftMs = this.#timeLeft.leftMs(this.#clock.monotonicMs(), rowsLeft);
    const pauseMs = this.#pausedUntilMs - this.#clock.wallMs();
    // A person cannot read a shorter time before it is over.
    const words = (ms: number): string => formatDuration(Math.max(1000, ms));
    return (
      linesOf(
        pauseMs > 0 && `paused, ${words(pauseMs)} to go`,
        rowsLeft > 0 && leftMs !== undefined && `${words(leftMs)} left`,
      ).join(' · ') || undefined
    );
  }
}

const LOOK_EVERY_MS = 250;
/** Reading a long list takes one part in this many of the time. */
const SHARE = 50;
const FIRST_LINE_MS = 10_000;
const PLAIN_LINE_EVERY_MS = 60_000;
const MOST_FINDS = 3;

/** Shorter pauses have no line of their own, because they are over before a person has read it. */
const LONG_PAUSE_MS = 2_000;

function begunLine(event: BatchBegun): string {
  const { batch, resumed } = event;
  return resumed
    ? `Batch ${batch} continues: ${finishedWords(event)}.`
    : `Batch ${batch}: ${rowsWords(event)}.`;
}

// -------------------------------------------------------------------------------------------- what was found

const LONGEST_CELL = 40;
const MOST_VALUES = 5;

/** `row 12  Salvation Army  employees 412, city Melbourne`, with the cells that an output has. */
async function foundRows(ledger: LedgerReader, batch: Batch, order: TableOrder): Promise<readonly string[]> {
  const askedColumns = Object.values(settingsKept(batch.settings).columns);
  const { columns, rows } = await tableOf(ledger, batch, order);
  return rows.map(({ row, cells }) => {
    const filled = columns.map((column, at) => ({ ...column, cell: cells[at]?.trim() ?? '' }));
    const listCells = filled.filter(({ from, cell }) => from === 'list' && cell !== '');
    // Mostly the name of the person or company.
    const named =
      listCells.find(({ name, cell }) => !askedColumns.includes(name) && /\p{L}/u.test(cell)) ?? listCells[0];
    const values = filled
      .filter(({ from, cell }) => from === 'bought' && cell !== '')
      .map(({ name, cell }) => `${name} ${foreignWords(cell, LONGEST_CELL)}`);
    const name = named && foreignWords(named.cell, LONGEST_CELL);
    return plainText(
      linesOf(`row ${grouped(row)}`, name, values.slice(0, MOST_VALUES).join(', ')).join('  '),
    );
  });
}
