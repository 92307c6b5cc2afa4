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
  readonly #all = new Map<string, Job>();
  /** How often each was asked for. */
  readonly #times = new Map<string, number>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  /** The id of what is accepted next. */
  get nextId(): string {
    return `job-${this.#all.size + 1}`;
  }

  of(id: string): Job | undefined {
    return this.#all.get(id);
  }

  /** Whether something that was asked so may still be answered. */
  isAtWork(key: string): boolean {
    const { trueMs } = this.#stage;
    const jobs = [...this.#all.values()].filter((job) => job.key === key);
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
    const job: Job = { key, acceptedAtMs: trueMs, forgottenAtMs, isAnswered: false };
    this.#all.set(id, job);
    if (isDropped) return;
    const end = (): void => {
      job.isAnswered = true;
      answered(job);
    };
    schedule.after(takesMs, end, false);
  }

  isThere(id: string): boolean {
    const job = this.#all.get(id);
    return job?.isAnswered === true && this.#stage.trueMs < job.forgottenAtMs;
  }

  said(id: string, factsOf: (key: string) => Facts): Reply {
    const job = this.#all.get(id);
    if (job === undefined || this.#stage.trueMs >= job.forgottenAtMs)
      return json(404, { error: 'no such job' });
    if (job.isAnswered) return json(200, factsOf(job.key));
    const times = (this.#times.get(id) ?? 0) + 1;
    this.#times.set(id, times);
    const at = Math.floor(unit(this.#stage.seed, 'not yet', id, times) * NOT_YET.length);
    return NOT_YET[at]?.(id) ?? json(404, {});
  }
}
