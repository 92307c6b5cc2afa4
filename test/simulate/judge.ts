/**
 * Judges what a run says by what the vendor has in its book: why it stopped, what it spent, and each row of its output. A fault of the
 * vendor or of the network allows certain stops, and no others; some ask for one.
 */
import fs from 'node:fs';
import { parse } from 'csv-parse/sync';
import type { StopObject } from '../../src/objects/stop-object.ts';
import type { ListKind, Row } from './list-kinds.ts';
import { promise } from './played.ts';
import type { Ended, Stage } from './stage.ts';
import type { Arrival } from './vendor.ts';

type Ailment = NonNullable<Arrival['ailment']>;

/** What a run prints at its end, or in the place of its end. */
export interface Said {
  readonly credits?: { readonly spent: number; readonly in_doubt: number };
  readonly stopped: StopObject | null;
}

/** Undefined of a process that was killed, or of words that are no object. */
export function saidIn({ how, stdout }: Ended): Said | undefined {
  return how === 'ended' && stdout.startsWith('{') ? (JSON.parse(stdout) as Said) : undefined;
}

/** What each stop comes from: an answer of that kind, or a series of them. */
export const CAUSES: Readonly<Record<string, readonly Ailment[]>> = {
  // The page of a gateway with 403 is no word of the vendor, but may well be about the key.
  key: ['dead-key', 'gateway'],
  vendor_credits: ['no-credits'],
  'address of another': ['moved'],
  refused: ['refusing'],
  'no-match': ['missing'],
  'same-answers': ['alike'],
  doubts: ['failing', 'gateway', 'empty', 'half', 'prose', 'not-yet', 'webhook'],
};

/** A run that hears one of these stops. */
const STOPPING: ReadonlySet<string | undefined> = new Set<Ailment>(['dead-key', 'no-credits', 'moved']);

/** These leave no one able to tell whether the call was charged. */
export const DOUBTFUL: ReadonlySet<string | undefined> = new Set<Ailment>([
  ...(['slow', 'failing', 'gateway', 'endless', 'empty', 'half', 'prose', 'not-yet', 'webhook'] as const),
]);

/** An intent of a run that was killed; no one knows whether its request was sent. */
export const NOT_KEPT = /the program ended between sending the request and keeping the answer/;

export const causeOf = ({ code, answers }: StopObject): string => {
  if (code === 'address') return 'address of another';
  return (code === 'answers_alike' && answers?.[0]) || code;
};

/** What a list has lived through: the judge looks at it run by run. */
export class Judge {
  readonly #stage: Stage;
  /** Calls of which some answer may be lost. */
  readonly #lost = new Set<string>();
  /** Who was forgotten, by their cells, and whether somebody had bought them before. */
  readonly forgotten = new Map<string, boolean>();
  #heard = 0;
  #cut = 0;
  /** Since the first run that was not as it should be. */
  #mayPause = false;
  #isOff = false;
  #wasKilled = false;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** After each command that spends. */
  run(ended: Ended): Said | undefined {
    const { vendor, weather, exchanges } = this.#stage;
    const arrivals = vendor.arrivals.slice(this.#heard);
    const ways = exchanges.slice(this.#cut);
    this.#heard = vendor.arrivals.length;
    this.#cut = exchanges.length;
    const isKilled = ended.exitCode === undefined;
    this.#wasKilled ||= isKilled;
    for (const { key, mishap } of ways) if (isKilled || mishap !== undefined) this.#lost.add(key);
    for (const { key, ailment } of arrivals) if (DOUBTFUL.has(ailment)) this.#lost.add(key);
    const isUnmade = Object.keys(weather.unmade).length > 0;
    this.#mayPause ||= vendor.mood.kind !== 'well' || isUnmade || ways.some(({ mishap }) => mishap);
    const { mood } = vendor;
    this.#isOff = mood.kind === 'calendar' && Math.abs(mood.offMs ?? 0) > 12 * 3_600_000;
    const said = saidIn(ended);
    if (said === undefined) return undefined;
    if (said.stopped === null) this.#mayNotGoOn(ended, arrivals, ways.length);
    else this.#mayStop(said.stopped, arrivals, isUnmade);
    this.#adds(said);
    return said;
  }

  /** It has heard nothing for which it should have stopped. */
  #mayNotGoOn({ exitCode }: Ended, arrivals: readonly Arrival[], ways: number): void {
    promise(exitCode === 0 || exitCode === 3, `not stopped, but ${exitCode}`);
    const own = ways === 0 ? [] : this.#stage.exchanges.slice(-ways);
    // What a killed run had sent may arrive in the next one, which does not hear the answer.
    const isOwn = (asked: string): boolean => own.some(({ key }) => key === asked);
    const stopping = arrivals.find(({ ailment, key }) => STOPPING.has(ailment) && isOwn(key));
    const isHeard = own.every(({ mishap }) => mishap === undefined);
    promise(stopping === undefined || !isHeard, `goes on after ${stopping?.ailment}`);
  }

  #mayStop(stop: StopObject, arrivals: readonly Arrival[], isUnmade: boolean): void {
    const why = `${stop.code}: ${stop.message}`;
    const cause = causeOf(stop);
    if (cause === 'paused') promise(this.#mayPause, `paused without a reason: ${why}`);
    else if (cause === 'clock') promise(this.#isOff, `the clock is right: ${why}`);
    else this.#isHeard(cause, arrivals, isUnmade && stop.code === 'address', why);
  }

  #isHeard(cause: string, arrivals: readonly Arrival[], isUnmade: boolean, why: string): void {
    // What stopped one run for good stops the next as well, until somebody has accepted it.
    const heard = cause === 'same-answers' || cause === 'doubts' ? this.#stage.vendor.arrivals : arrivals;
    const isCaused = heard.some(({ ailment }) => ailment && CAUSES[cause]?.includes(ailment));
    promise(isCaused || isUnmade, `stopped without a reason: ${why}`);
  }

  /** What was charged is shown, as spent or in doubt. Who forgets somebody goes on with another batch. */
  #adds({ credits }: Said): void {
    if (credits === undefined || this.forgotten.size > 0) return;
    const charged = this.#stage.vendor.charges.reduce((sum, charge) => sum + charge.credits, 0);
    const shown = credits.spent + credits.in_doubt;
    promise(charged <= shown, `charged ${charged}, shown ${credits.spent} and ${credits.in_doubt} in doubt`);
  }

  /** Of each row of the output: it says what the book says. */
  rows(output: string, kind: ListKind): void {
    const text = fs.readFileSync(this.#stage.path(output), 'utf8');
    const rows: readonly Row[] = parse(text, { columns: true, bom: true });
    for (const row of rows) this.#row(row, kind);
  }

  #row(row: Row, { keysOf, shownIn, shownOf }: ListKind): void {
    const { vendor } = this.#stage;
    const { _status: status = '', _matched_by: by = '', _reason: reason = '' } = row;
    const keys = keysOf(row);
    const all = Object.values(keys);
    const of = `row ${Object.values(row).join(', ')}`;
    const wasBought = Object.values(row)
      .map((cell) => this.forgotten.get(cell))
      .find((known) => known !== undefined);
    promise(wasBought !== true || shownIn(row) === '', `what was forgotten is shown: ${of}`);
    if (wasBought === true || (wasBought === false && status === 'skipped')) return;
    const charges = vendor.charges.filter(({ key }) => all.includes(key));
    promise(status === 'matched' || shownIn(row) === '', `facts without a match: ${of}`);
    const sold = charges.filter(({ key }) => key === keys[by]);
    const heard = vendor.arrivals.filter(({ key }) => all.includes(key));
    const isRight: Readonly<Record<string, boolean>> = {
      matched: sold.some(({ facts }) => shownOf(facts) === shownIn(row)),
      no_match: charges.every(({ facts }) => Object.keys(facts).length === 0),
      refused: charges.length === 0 && heard.some(({ ailment }) => ailment === 'refusing'),
      in_doubt: all.some((key) => this.#lost.has(key)) || (this.#wasKilled && NOT_KEPT.test(reason)),
    };
    promise(isRight[status] === true, `not as the book has it: ${of}`);
  }
}
