/** The moods of a vendor: what it may answer in place of what was asked for, by itself or mixed, to all requests or to some. */
import fc, { type Arbitrary } from 'fast-check';

const LIMIT_FORMS = ['seconds', 'date', 'headers', 'words-200', 'words-400', 'words-403', 'bare'] as const;
/** How "too fast" is said: as 429 with a time in some way, in words with another status, or without any time. */
export type LimitForm = (typeof LIMIT_FORMS)[number];

export type Ailment =
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'limited'; readonly form: LimitForm; readonly waitMs: number }
  /** A server that fails; it may have charged before. */
  | { readonly kind: 'failing'; readonly status: number; readonly isCharged: boolean }
  /** The page of a proxy that stands before it. */
  | { readonly kind: 'gateway'; readonly status: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'refusing'; readonly status: number }
  /** The same facts, whatever is asked. */
  | { readonly kind: 'alike' }
  | { readonly kind: 'dead-key' }
  | { readonly kind: 'no-credits' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'not-yet' }
  /** It answers later, and tells that to a receiver that no one has. */
  | { readonly kind: 'webhook'; readonly isCharged: boolean }
  /** It sells, and its answer has no end, no bytes, only half of them, or words that cannot be read. */
  | { readonly kind: 'endless' | 'empty' | 'half' | 'prose' };

export type Mood =
  | { readonly kind: 'well' }
  /** One of the ailments in place of each answer, by that chance. */
  | { readonly kind: 'ailing'; readonly ailments: readonly Ailment[]; readonly chance: number }
  /** It keeps to a limit: so many requests in each window. */
  | {
      readonly kind: 'limit';
      readonly form: LimitForm;
      readonly requests: number;
      readonly windowMs: number;
    }
  /** Its `Date` is off by so much, or missing; with an age, its answers come out of a cache. */
  | { readonly kind: 'calendar'; readonly offMs: number | undefined; readonly ageSeconds: number };

const TIMED: ReadonlySet<LimitForm> = new Set(['seconds', 'date', 'headers'] as const);

/** Whether it says until when nothing may be sent. */
export function givesTimes(mood: Mood): boolean {
  if (mood.kind === 'limit') return TIMED.has(mood.form);
  return (
    mood.kind === 'ailing' && mood.ailments.some((each) => each.kind === 'limited' && TIMED.has(each.form))
  );
}

export const well: Mood = { kind: 'well' };

const of = <Kind extends string>(kind: Kind): Arbitrary<Kind> => fc.constant(kind);

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const form = fc.constantFrom(...LIMIT_FORMS);
const failures = fc.constantFrom(500, 502, 503, 504, 408);

export const ailments: Arbitrary<Ailment> = fc.oneof(
  fc.record({ kind: of('slow'), ms: fc.integer({ min: 1_000, max: 100_000 }) }),
  fc.record({ kind: of('limited'), form, waitMs: fc.integer({ min: 1_000, max: 20 * MINUTE_MS }) }),
  fc.record({ kind: of('failing'), status: failures, isCharged: fc.boolean() }),
  fc.record({ kind: of('gateway'), status: fc.constantFrom(403, 404, 413, 429, 502, 503, 504) }),
  fc.record({ kind: of('missing') }),
  fc.record({ kind: of('refusing'), status: fc.constantFrom(400, 422) }),
  fc.record({ kind: of('alike') }),
  fc.record({ kind: of('dead-key') }),
  fc.record({ kind: of('no-credits') }),
  fc.record({ kind: of('moved') }),
  fc.record({ kind: of('not-yet') }),
  fc.record({ kind: fc.constantFrom('endless', 'empty', 'half', 'prose') }),
);

const offBy = fc.oneof(
  fc.constantFrom(-3 * DAY_MS, -2 * HOUR_MS, -10 * MINUTE_MS, 10 * MINUTE_MS, 2 * HOUR_MS, 3 * DAY_MS),
  fc.constant(undefined),
);

/** What stops an account by its series comes to every question alike. */
const toAll = fc.constantFrom<Ailment[]>(
  { kind: 'refusing', status: 422 },
  { kind: 'missing' },
  { kind: 'alike' },
  { kind: 'dead-key' },
);

/** Shrinks towards a vendor that is well. */
export const moods: Arbitrary<Mood> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(well), weight: 2 },
  {
    arbitrary: fc.record({
      kind: of('ailing'),
      ailments: fc.array(ailments, { minLength: 1, maxLength: 3 }),
      chance: fc.constantFrom(0.1, 0.5, 1),
    }),
    weight: 8,
  },
  {
    arbitrary: toAll.map((ailment): Mood => ({ kind: 'ailing', ailments: [ailment], chance: 1 })),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      kind: of('limit'),
      form,
      requests: fc.integer({ min: 1, max: 8 }),
      windowMs: fc.integer({ min: 500, max: 2 * MINUTE_MS }),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({ kind: of('calendar'), offMs: offBy, ageSeconds: fc.constantFrom(0, 0, 600) }),
    weight: 2,
  },
);

/**
 * What other histories have as well as their moods, so that those are what they were before a vendor had these: limits of minutes to hours
 * for which it gives no time, and answers that come later, for which cannot be asked.
 */
export const oddMoods: Arbitrary<Mood> = fc.oneof(
  fc.record({
    kind: of('limit'),
    form: fc.constant<LimitForm>('bare'),
    requests: fc.constantFrom(0, 1, 5),
    windowMs: fc.constantFrom(2 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, 5 * HOUR_MS),
  }),
  fc.record({
    kind: of('ailing'),
    ailments: fc.tuple(fc.record({ kind: of('webhook'), isCharged: fc.boolean() })),
    chance: fc.constantFrom(0.5, 1, 1),
  }),
);

const seconds = (ms: number): string => `${ms / 1000} s`;

function ailmentWords(ailment: Ailment): string {
  switch (ailment.kind) {
    case 'slow':
      return `slow by ${seconds(ailment.ms)}`;
    case 'limited':
      return `429 (${ailment.form}, ${seconds(ailment.waitMs)})`;
    case 'failing':
      return `${ailment.status}${ailment.isCharged ? ', charged' : ''}`;
    case 'webhook':
      return `an answer to a webhook${ailment.isCharged ? ', charged' : ''}`;
    case 'gateway':
      return `a gateway's page with ${ailment.status}`;
    case 'refusing':
      return `${ailment.status} for all`;
    default:
      return ailment.kind;
  }
}

export function moodWords(mood: Mood): string {
  switch (mood.kind) {
    case 'well':
      return 'well';
    case 'ailing':
      return `${mood.ailments.map(ailmentWords).join(' or ')}, by ${mood.chance}`;
    case 'limit':
      return `${mood.requests} requests in ${seconds(mood.windowMs)} (${mood.form})`;
    case 'calendar': {
      const date = mood.offMs === undefined ? 'no Date' : `Date off by ${seconds(mood.offMs)}`;
      return mood.ageSeconds === 0 ? date : `${date}, out of a cache`;
    }
  }
}
