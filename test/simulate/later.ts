/**
 * What a vendor has accepted and answers later. How long each takes follows from the seed: mostly seconds or minutes, sometimes longer than
 * a run waits or than the dialect says; some are dropped, and some answers can be had for a while only. Each is charged once, when its
 * answer is there.
 */
import { unit } from './chance.ts';
import type { Stage } from './stage.ts';
import type { Facts, Reply } from './vendor.ts';

export interface Job {
  /** What was asked. */
  readonly key: string;
  /** Nothing comes of it, and it costs that or not. */
  readonly failure: Failure | undefined;
  readonly acceptedAtMs: number;
  /** From then on the vendor knows nothing of its id. */
  readonly forgottenAtMs: number;
  isAnswered: boolean;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const EVER = Number.POSITIVE_INFINITY;

/** How long it takes, between two times, and for how long its answer can be had. The last one is dropped. */
const FATES = [
  { upTo: 0.6, fromMs: 0, toMs: MINUTE_MS, keptMs: EVER },
  { upTo: 0.75, fromMs: MINUTE_MS, toMs: 8 * MINUTE_MS, keptMs: EVER },
  { upTo: 0.9, fromMs: 10 * MINUTE_MS, toMs: 60 * MINUTE_MS, keptMs: EVER },
  { upTo: 0.95, fromMs: 0, toMs: MINUTE_MS, keptMs: 30 * SECOND_MS },
  { upTo: 1, fromMs: EVER, toMs: EVER, keptMs: 0 },
] as const;

/** What is said of a job that failed, and whether it is charged: the dialects have a rule for each. */
export const FAILURES = { FAILED: 'free', CANCELED: 'charged' } as const;
export type Failure = keyof typeof FAILURES;

/** In so many worlds jobs fail, and so many of them. */
const FAILING = 0.4;
const FAILED = 0.2;

/** In so many worlds an id is given again, and so many of them. */
const REUSING = 0.25;
const REUSED = 0.2;

/** How a vendor writes its ids. Those of the second kind have all that may not stand in an address as it is. */
const ID_FORMS: readonly ((number: number) => string)[] = [
  (number) => `job-${number}`,
  (number) => `job-${number}`,
  (number) => `am9i/${number}+%2F==`,
];

/** In so many worlds all that is accepted takes long. */
const SLOW = 0.2;

const json = (status: number, body: object): Reply => ({ status, body: JSON.stringify(body) });

const WORKING = { status: 'processing' };

/** How "not yet" is said. */
const NOT_YET: readonly ((id: string) => Reply)[] = [
  () => json(404, { error: 'not found' }),
  () => json(500, { error: 'internal error' }),
  () => json(400, { error: 'not ready' }),
  () => ({ ...json(200, WORKING), isEndless: true }),
  () => ({ ...json(429, { error: 'Too many requests' }), headers: { 'retry-after': '2' } }),
  (id) => json(202, { id }),
  (id) => json(200, { id, ...WORKING }),
  () => json(200, WORKING),
];

export class Jobs {
  readonly #stage: Stage;
  readonly #all: Job[] = [];
  /** By the id that a job was given; of several the last one. */
  readonly #byId = new Map<string, Job>();
  /** How often each was asked for. */
  readonly #times = new Map<string, number>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The id of what is accepted next. */
  get nextId(): string {
    const { seed } = this.#stage;
    const number = this.#all.length + 1;
    const isReused = unit(seed, 'reuses') < REUSING && unit(seed, 'reused', number) < REUSED;
    const form = ID_FORMS[Math.floor(unit(seed, 'ids') * ID_FORMS.length)] as (typeof ID_FORMS)[number];
    return form(isReused ? 1 + Math.floor(unit(seed, 'whose', number) * number) : number);
  }

  of(id: string): Job | undefined {
    return this.#byId.get(id);
  }

  /** Whether something that was asked so may still be answered. */
  isAtWork(key: string): boolean {
    const { trueMs } = this.#stage;
    const jobs = this.#all.filter((job) => job.key === key);
    return jobs.some(({ isAnswered, forgottenAtMs }) => !isAnswered && trueMs < forgottenAtMs);
  }

  /** @param answered is called when its answer is there. */
  accept(key: string, answered: (job: Job) => void): void {
    const { seed, schedule, trueMs } = this.#stage;
    const id = this.nextId;
    const drawn = unit(seed, 'fate', key, id);
    const fate = unit(seed, 'slow') < SLOW ? 1 - drawn / 3 : drawn;
    const { fromMs, toMs, keptMs } = FATES.find(({ upTo }) => fate < upTo) ?? FATES[0];
    const isDropped = fromMs === EVER;
    const takesMs = isDropped ? MINUTE_MS : fromMs + unit(seed, 'takes', key, id) * (toMs - fromMs);
    const forgottenAtMs = trueMs + takesMs + keptMs;
    const failure = this.#failureOf(key);
    const job: Job = { key, failure, acceptedAtMs: trueMs, forgottenAtMs, isAnswered: false };
    this.#all.push(job);
    this.#byId.set(id, job);
    if (isDropped) return;
    const end = (): void => {
      job.isAnswered = true;
      answered(job);
    };
    schedule.after(takesMs, end, false);
  }

  #failureOf(key: string): Failure | undefined {
    const { seed } = this.#stage;
    const names = Object.keys(FAILURES) as Failure[];
    const number = this.#all.length;
    if (unit(seed, 'failing') > FAILING || unit(seed, 'fails', key, number) > FAILED) return undefined;
    return names[Math.floor(unit(seed, 'how it fails', key, number) * names.length)];
  }

  isThere(id: string): boolean {
    const job = this.#byId.get(id);
    return job?.isAnswered === true && this.#stage.trueMs < job.forgottenAtMs;
  }

  said(id: string, factsOf: (key: string) => Facts): Reply {
    const job = this.#byId.get(id);
    if (job === undefined || this.#stage.trueMs >= job.forgottenAtMs)
      return json(404, { error: 'no such job' });
    if (job.isAnswered && job.failure !== undefined) return json(200, { status: job.failure });
    if (job.isAnswered) return json(200, factsOf(job.key));
    const times = (this.#times.get(id) ?? 0) + 1;
    this.#times.set(id, times);
    const at = Math.floor(unit(this.#stage.seed, 'not yet', id, times) * NOT_YET.length);
    return NOT_YET[at]?.(id) ?? json(404, {});
  }
}
