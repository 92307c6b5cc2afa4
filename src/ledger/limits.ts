import type { Clock } from '../core/clock.ts';
import { invariant } from '../core/errors.ts';
import type { Db } from './db.ts';

/**
 * What many workers share of an account's limits. They stand in one line: each takes a place for each request that waits, and each place
 * has a time at which its request is due. Places are so far apart that a request which leaves a little late, and takes its time on the way,
 * has still left the window when the one N places behind it comes. One that leaves later than that is told to the line, which pushes the
 * places back that are not taken yet. So no stretch of a window's length has more than N requests, whoever sends. A worker that dies loses
 * the places that it has taken, and one that cannot ask has none.
 *
 * Times in the line are by the database's clock. Of what is more than two minutes ahead of it, it was set back since.
 */

/** So many requests in any stretch of that length. */
export interface SharedWindow {
  readonly requests: number;
  readonly windowMs: number;
}

/** Windows up to this length are spread; the quota of an hour or a day may be used up at once, and is counted. */
const LONGEST_SPREAD_MS = 60_000;
const UNSPREAD_STEP_US = 10;

/** How late a request may leave without a word to the line. Where it would leave later its place is let go, and another one taken. */
const leavesWithinMs = (windowMs: number): number => Math.min(Math.max(windowMs * 0.015, 5), 250);
/** How much later than it has left a request may come. */
const comesWithinMs = (windowMs: number): number => Math.min(Math.max(windowMs * 0.02, 20), 500);
/** How far ahead places are taken: while its intent is committed a request is not due yet. */
const aheadOf = (windowMs: number): number => Math.min(windowMs * 0.15, 500);

/** A request whose connection is opened first leaves later than it was to. After half a window, or this time, it does not leave any more. */
const LATEST_TO_LEAVE_MS = 1_000;

/** Where the vendor refuses although places are so much further apart, it counts by another limit. */
const [LEAST_MARGIN, LARGEST_MARGIN] = [0.005, 0.05];

/** What others give back is heard of within the one; the difference of two clocks is known by the fastest answer of the other. */
const [LOOK_EVERY_MS, DIFFERENCE_HOLDS_MS] = [1_000, 10_000];

const TAKE = 'SELECT * FROM take_places(?, ?, ?, ?, CAST(? AS JSON), ?, CAST(? AS JSON))';

type Taken = Readonly<Record<'place' | 'places' | 'due_us' | 'now_us', number>>;

interface Place {
  readonly place: number;
  readonly dueUs: number;
  isOpen: boolean;
}

export class Line {
  readonly #db: Pick<Db, 'rows'>;
  readonly #account: number;
  readonly #clock: Clock;
  readonly #spread: readonly SharedWindow[];
  readonly #quotas: string;
  /** The shortest window that is spread. */
  readonly #windowMs: number;
  readonly #closing = new AbortController();
  readonly #waiting: PromiseWithResolvers<Place>[] = [];
  #free: Place[] = [];
  /** When the places were due that were let go, which the line has not heard of yet. */
  #unused: number[] = [];
  /** What the line has to hear before it gives the places a window later: where its first place may be at the earliest. */
  #pushedUs = Number.NEGATIVE_INFINITY;
  #isServing = false;
  /** Until when there is no place, by our clock. */
  #noneUntilMs = Number.NEGATIVE_INFINITY;
  #margin = 0;
  /** Our clock less that of the database, at most, and by how much less it may be. */
  #differenceMs = 0;
  #doubtMs = Number.POSITIVE_INFINITY;
  #heardMs = 0;

  /** @param windows of the account's plan, at least one. */
  constructor(db: Pick<Db, 'rows'>, account: number, windows: readonly SharedWindow[], clock: Clock) {
    [this.#db, this.#account, this.#clock] = [db, account, clock];
    this.#spread = windows.filter(({ windowMs }) => windowMs <= LONGEST_SPREAD_MS);
    const quotas = windows.filter(({ windowMs }) => windowMs > LONGEST_SPREAD_MS);
    this.#quotas = JSON.stringify(
      quotas.map(({ requests, windowMs }) => ({ requests, us: windowMs * 1000 })),
    );
    this.#windowMs = Math.min(LONGEST_SPREAD_MS, ...this.#spread.map(({ windowMs }) => windowMs));
  }

  /** Resolves when a place was taken, which is some time before it is due. @throws StopError `store` when the database does not answer. */
  async turn() {
    let place = await this.#place();
    return {
      /**
       * Resolves when it may leave, which it then does at once, or at `latestMs`, monotonic. Where its time was missed meanwhile it gets
       * another place.
       */
      untilDue: async (latestMs: number): Promise<void> => {
        for (;;) {
          const lateMs = this.#lateMs(place);
          if (lateMs >= 0 && !this.#isMissed(place)) return;
          if (lateMs < 0) await this.#clock.sleep(Math.ceil(-lateMs));
          else {
            this.#letGo(place);
            const other = await this.#placeBefore(latestMs);
            if (other === undefined) return;
            place = other;
          }
        }
      },
      /** Whether it may leave in this very turn of the event loop. */
      mayLeave: (): boolean =>
        place.isOpen && this.#lateMs(place) <= Math.max(this.#windowMs / 2, LATEST_TO_LEAVE_MS),
      left: (): void => this.#left(place),
      /** Says nothing of a request that has left. */
      giveBack: (): void => this.#giveBack(place),
    };
  }

  /** How long there is no place as far as it is known. */
  get waitMs(): number {
    return Math.max(this.#noneUntilMs - this.#clock.monotonicMs(), 0);
  }

  /** The vendor saw requests closer together than their places are. @returns false when no margin helps any more. */
  widen(): boolean {
    if (this.#margin >= LARGEST_MARGIN) return false;
    this.#margin = Math.min(Math.max(this.#margin * 2, LEAST_MARGIN), LARGEST_MARGIN);
    return true;
  }

  close(): void {
    this.#closing.abort();
  }

  // ------------------------------------------------------------------------------------------ who waits

  #place(): Promise<Place> {
    const waiter = Promise.withResolvers<Place>();
    this.#waiting.push(waiter);
    void this.#serve();
    return waiter.promise;
  }

  /** For a request whose intent is committed, so it throws nothing: without a place the request does not leave. */
  async #placeBefore(latestMs: number): Promise<Place | undefined> {
    const over = new AbortController();
    const place = this.#place();
    const late = this.#clock.sleep(Math.max(latestMs - this.#clock.monotonicMs(), 0), over.signal);
    const first = await Promise.race([place, late]).catch(() => {});
    if (!first) place.then((unused) => this.#giveBack(unused)).catch(() => {});
    late.catch(() => {});
    over.abort();
    return first ?? undefined;
  }

  /** By how much its time has passed. */
  #lateMs({ dueUs }: Place): number {
    return this.#clock.monotonicMs() - dueUs / 1000 - this.#differenceMs;
  }

  #isMissed(place: Place): boolean {
    return this.#lateMs(place) > leavesWithinMs(this.#windowMs);
  }

  #letGo(place: Place): void {
    place.isOpen = false;
    this.#unused.push(place.dueUs);
  }

  #left(place: Place): void {
    if (!place.isOpen) return;
    place.isOpen = false;
    const lateMs = this.#lateMs(place) + Math.min(this.#doubtMs, this.#windowMs);
    if (lateMs <= leavesWithinMs(this.#windowMs)) return;
    for (const { requests, windowMs } of this.#spread) {
      const outUs = place.dueUs + (lateMs + windowMs + comesWithinMs(this.#windowMs)) * 1000;
      this.#pushedUs = Math.max(this.#pushedUs, outUs - (place.place + requests) * this.#stepUs);
    }
    void this.#serve();
  }

  #giveBack(place: Place): void {
    if (!place.isOpen || this.#free.includes(place)) return;
    this.#free.unshift(place);
    void this.#serve();
  }

  // ------------------------------------------------------------------------------------------ the line

  get #stepUs(): number {
    const latestMs = leavesWithinMs(this.#windowMs) + comesWithinMs(this.#windowMs);
    const steps = this.#spread.map(({ requests, windowMs }) => ((windowMs + latestMs) * 1000) / requests);
    return Math.ceil(Math.max(UNSPREAD_STEP_US, ...steps) * (1 + this.#margin));
  }

  get #isPushed(): boolean {
    return this.#pushedUs > Number.NEGATIVE_INFINITY;
  }

  /** Gives places in their order to who waits in theirs. */
  async #serve(): Promise<void> {
    if (this.#isServing) return;
    this.#isServing = true;
    try {
      while (this.#waiting.length > 0 || this.#isPushed) {
        this.#closing.signal.throwIfAborted();
        const place = this.#isPushed ? undefined : this.#next();
        if (place === undefined) await this.#take();
        else this.#waiting.shift()?.resolve(place);
      }
    } catch (error) {
      for (const waiter of this.#waiting.splice(0)) waiter.reject(error);
    } finally {
      this.#isServing = false;
    }
  }

  #next(): Place | undefined {
    for (let place = this.#free.shift(); place !== undefined; place = this.#free.shift()) {
      if (!this.#isMissed(place)) return place;
      this.#letGo(place);
    }
    return undefined;
  }

  /** Takes as many as wait, or waits until some may be taken. */
  async #take(): Promise<void> {
    const [wanted, stepUs, pushedUs, unused] = [
      ...([this.#waiting.length, this.#stepUs, this.#pushedUs, this.#unused] as const),
    ];
    // What was let go is told once, also where nobody hears it: a quota must not be given back twice.
    this.#unused = [];
    const aheadMs = aheadOf(this.#windowMs);
    const askedMs = this.#clock.monotonicMs();
    const [taken] = await this.#db.rows<Taken>(TAKE, [
      ...[this.#account, wanted, stepUs, aheadMs * 1000, this.#quotas],
      ...[this.#isPushed ? Math.ceil(pushedUs) : null, JSON.stringify(unused)],
    ]);
    invariant(taken !== undefined, 'the line answers');
    if (this.#pushedUs === pushedUs) this.#pushedUs = Number.NEGATIVE_INFINITY;
    this.#heard(askedMs, taken.now_us);
    if (wanted === 0) return;
    const inMs = (taken.due_us - taken.now_us) / 1000 - aheadMs;
    this.#noneUntilMs = taken.places > 0 ? Number.NEGATIVE_INFINITY : this.#clock.monotonicMs() + inMs;
    if (taken.places === 0) {
      const lookMs = Math.min(Math.max(inMs, 1), LOOK_EVERY_MS);
      return this.#clock.sleep(lookMs, this.#closing.signal).catch(() => {});
    }
    for (let at = 0; at < taken.places; at += 1)
      this.#free.push({ place: taken.place + at, dueUs: taken.due_us + at * stepUs, isOpen: true });
  }

  /** The database's clock showed that somewhere between the question and its answer. */
  #heard(askedMs: number, nowUs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const [doubtMs, differenceMs] = [nowMs - askedMs, nowMs - nowUs / 1000];
    if (doubtMs > this.#doubtMs && nowMs - this.#heardMs < DIFFERENCE_HOLDS_MS) return;
    [this.#doubtMs, this.#differenceMs, this.#heardMs] = [doubtMs, differenceMs, nowMs];
  }
}

export type AccountLine = Pick<Line, 'turn' | 'waitMs' | 'widen' | 'close'>;
/** A request that stands in the line of its account. */
export type Turn = Awaited<ReturnType<Line['turn']>>;

/**
 * Takes places in the line of an account; its tables stand in `schema.ts`. It is PL/pgSQL, because each statement has to see what those
 * have committed for whose line it waited. `pushed`: a place of number n may be due at `pushed + n * step` at the earliest.
 */
export const TAKE_PLACES = `
CREATE OR REPLACE FUNCTION take_places(whose BIGINT, wanted BIGINT, step BIGINT, ahead BIGINT, quotas JSON, pushed BIGINT, unused JSON)
RETURNS TABLE (place BIGINT, places BIGINT, due_us BIGINT, now_us BIGINT) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  line lines;
  own BIGINT;
  longest BIGINT;
BEGIN
  INSERT INTO lines (account) VALUES (whose) ON CONFLICT DO NOTHING;
  SELECT * INTO line FROM lines WHERE account = whose FOR UPDATE;
  now_us := extract(epoch FROM clock_timestamp()) * 1000000;
  place := line.place;
  own := greatest(CASE WHEN line.due_us > now_us + 120000000 THEN 0 ELSE line.due_us END, now_us, pushed + place * step,
    (SELECT paused_until * 1000 FROM accounts WHERE id = whose AND paused_until < now_us / 1000 + 86400000));
  due_us := own;
  places := wanted;
  -- Of a quota all is counted that was taken within its window; of a request that leaves late its place is of a little later.
  SELECT max(us) INTO longest FROM json_to_recordset(quotas) AS w(requests BIGINT, us BIGINT);
  IF longest IS NOT NULL THEN
    DELETE FROM places WHERE account = whose AND at_us < now_us - longest;
    INSERT INTO places SELECT whose, CAST(value AS BIGINT), -1 FROM json_array_elements_text(unused);
    SELECT least(places, min(w.requests - t.n)), greatest(own, max(CASE WHEN t.n >= w.requests THEN t.oldest + w.us END)) INTO places, due_us
      FROM json_to_recordset(quotas) AS w(requests BIGINT, us BIGINT) CROSS JOIN LATERAL (
        SELECT coalesce(sum(p.places), 0) AS n, min(p.at_us) AS oldest FROM places p WHERE p.account = whose AND p.at_us > now_us - w.us) AS t;
  END IF;
  places := CASE WHEN due_us > now_us + ahead THEN 0 ELSE greatest(least(places, 1 + (now_us + ahead - due_us) / step), 0) END;
  IF longest IS NOT NULL AND places > 0 THEN
    INSERT INTO places VALUES (whose, due_us + places * step + 2000000, places);
  END IF;
  UPDATE lines SET place = line.place + take_places.places, due_us = own + take_places.places * step WHERE account = whose;
  RETURN NEXT;
END $$;`;
