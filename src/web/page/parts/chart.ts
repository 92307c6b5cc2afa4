import type { ActivityView } from '../../api.ts';

/** The picture of a batch's work as a list of shapes. */

/** An element of SVG with what it says. */
export type Shape = readonly [
  tag: 'path' | 'polyline' | 'rect' | 'text',
  attributes: Readonly<Record<string, string | number>>,
  words?: string,
];

interface ChartWords {
  readonly perSecond: string;
  readonly credits: string;
  readonly limit: (perSecond: string) => string;
  readonly number: (value: number) => string;
  /** @param isLong the picture is of more than a day, so that a time needs its date. */
  readonly time: (atMs: number, isLong: boolean) => string;
}

/** Sizes in units of the drawing. */
export const CHART_HEIGHT = 240;
const LEFT = 48;
const RIGHT = 56;
const TOP = 28;
const BASE = 208;

/** Room above the highest bar, the limit or the sum of the credits. */
const HIGHEST = TOP + (BASE - TOP) * 0.1;

/** What the words of a time take, and the most of them that say something. */
const TIME_WIDTH = 100;
const MOST_TIMES = 5;

const DAY_MS = 24 * 60 * 60_000;

/** @param width in units of the drawing, which a browser scales to the place that it has. */
export function chartShapes(
  { from_ms: fromMs, bucket_ms: bucketMs, requests, credits, pauses }: ActivityView,
  limitPerSecond: number | null | undefined,
  words: ChartWords,
  width: number,
): readonly Shape[] {
  const right = width - RIGHT;
  const spanMs = bucketMs * requests.length;
  const x = (atMs: number): number =>
    LEFT + ((right - LEFT) * Math.min(Math.max(atMs - fromMs, 0), spanMs)) / spanMs;
  const speeds = requests.map((each) => (each * 1000) / bucketMs);
  const fastest = Math.max(...speeds, limitPerSecond ?? 0);
  const y = (perSecond: number): number => BASE - ((BASE - HIGHEST) * perSecond) / fastest;
  const step = (right - LEFT) / requests.length;
  const short = (value: number): string => words.number(Number(value.toPrecision(3)));
  return [
    ...pauses.flatMap((pause) => box('pause', x(pause.from_ms), x(pause.until_ms), TOP)),
    // A hair of overlap, so that neighbours are one shape and not a fence.
    ...speeds.flatMap((speed, at) => box('speed', LEFT + at * step, LEFT + (at + 1) * step + 0.3, y(speed))),
    ...(limitPerSecond == null
      ? []
      : limitLine(y(limitPerSecond), right, words.limit(short(limitPerSecond)))),
    // The changes of a service cost none.
    ...(credits.some((each) => each > 0) ? creditLine(credits, width, words.credits, short) : []),
    ['path', { class: 'axis', d: `M${LEFT} ${TOP}V${BASE}H${right}` }],
    ['text', { class: 'speed-label', x: LEFT - 4, y: px(HIGHEST + 4), 'text-anchor': 'end' }, short(fastest)],
    ['text', { x: LEFT - 4, y: BASE, 'text-anchor': 'end' }, '0'],
    ['text', { class: 'speed-label', x: LEFT, y: 14 }, words.perSecond],
    ...times(right, (share) => words.time(fromMs + spanMs * share, spanMs > DAY_MS)),
  ];
}

function box(name: string, from: number, until: number, top: number): readonly Shape[] {
  if (until <= from || top >= BASE) return [];
  return [
    [
      'rect',
      { class: name, x: px(from), y: px(top), width: px(Math.max(until - from, 1)), height: px(BASE - top) },
    ],
  ];
}

function limitLine(at: number, right: number, words: string): readonly Shape[] {
  return [
    ['path', { class: 'limit', d: `M${LEFT} ${px(at)}H${right}` }],
    ['text', { x: LEFT + 4, y: px(at - 4) }, words],
  ];
}

/** The credits spent so far, as steps; the scale on the right ends at their sum. */
function creditLine(
  credits: readonly number[],
  width: number,
  words: string,
  short: (value: number) => string,
): readonly Shape[] {
  const right = width - RIGHT;
  const sum = credits.reduce((total, each) => total + each, 0);
  let spent = 0;
  const steps = credits.map((each, at) => {
    spent += each;
    const across = LEFT + ((at + 1) * (right - LEFT)) / credits.length;
    return `${px(across)} ${px(BASE - (BASE - HIGHEST) * (spent / sum))}`;
  });
  return [
    ['polyline', { class: 'credits', points: `${LEFT} ${BASE} ${steps.join(' ')}` }],
    ['text', { class: 'credits-label', x: right + 4, y: px(HIGHEST + 4) }, short(sum)],
    ['text', { class: 'credits-label', x: width - 4, y: 14, 'text-anchor': 'end' }, words],
  ];
}

/**
 * As many times below as there is room for, the first and the last among them. Of a short picture several may be in one second,
 * which is told once. @param words at that share of the width.
 */
function times(right: number, words: (share: number) => string): readonly Shape[] {
  const most = Math.floor((right - LEFT) / TIME_WIDTH) + 1;
  const last = Math.min(Math.max(most, 2), MOST_TIMES) - 1;
  const all = Array.from({ length: last + 1 }, (_, at) => words(at / last));
  return all.flatMap((time, at): readonly Shape[] => {
    if (all.indexOf(time) < at) return [];
    const anchor = at === 0 ? 'start' : at === last ? 'end' : 'middle';
    const place = { x: px(LEFT + ((right - LEFT) * at) / last), y: CHART_HEIGHT - 12, 'text-anchor': anchor };
    return [['text', place, time]];
  });
}

function px(value: number): string {
  return String(Number(value.toFixed(1)));
}
