import { formatDuration } from '../../../core/duration.ts';
import { grouped } from '../../../core/plain-text.ts';
import type { Activity, PauseRecord } from '../../../ledger/ledger.ts';

/**
 * The picture of a batch's work as inline SVG: how fast it asked against what its account may, when it paused, and how
 * the credits added up. Drawn from the ledger alone, so two reports of the same state are the same to the byte.
 */

export interface ChartData {
  readonly activity: Activity;
  readonly pauses: readonly PauseRecord[];
  /** What the account allows on average; undefined where no limit was known. */
  readonly limitPerSecond: number | undefined;
}

/** The report asks for this many stretches of time: each is still some pixels wide. */
export const CHART_BUCKETS = 120;

/** A plan allows so many requests in a second and not in a tenth of one, so nothing is drawn any finer. */
export const CHART_UNIT_MS = 1_000;

/** Sizes in units of the drawing, which the browser scales to the width of the page. */
const WIDTH = 720;
const HEIGHT = 240;
const LEFT = 48;
const RIGHT = 56;
const TOP = 28;
const BOTTOM = 32;
const PLOT_WIDTH = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM;

/** Colours that a printer and most kinds of colour blindness keep apart; each has its own shape besides. */
const SPEED = '#3a7bd5';
const CREDITS = '#b5541c';

const TIME_LABELS = 5;

/** Room above the highest bar or the limit. */
const HEADROOM = 1.1;

/** Empty when the batch sent nothing. */
export function activityChart({ activity, pauses, limitPerSecond }: ChartData): string {
  const { fromMs, bucketMs, buckets } = activity;
  if (buckets.length === 0) return '';
  const untilMs = fromMs + bucketMs * buckets.length;
  const x = (atMs: number): number =>
    LEFT + (PLOT_WIDTH * (Math.min(Math.max(atMs, fromMs), untilMs) - fromMs)) / (untilMs - fromMs);
  const speeds = buckets.map(({ requests }) => (requests * 1000) / bucketMs);
  const fastest = Math.max(...speeds, limitPerSecond ?? 0) * HEADROOM;
  const y = (perSecond: number): number => TOP + PLOT_HEIGHT * (1 - perSecond / fastest);
  const parts = [
    ...pauses.map((pause) => pauseShade(x(pause.fromMs), x(pause.untilMs))),
    ...speeds.map((speed, index) => speedBar(index, buckets.length, y(speed))),
    ...(limitPerSecond === undefined ? [] : [limitLine(y(limitPerSecond), limitPerSecond)]),
    creditLine(buckets.map(({ credits }) => credits)),
    axes(y(0), y(fastest / HEADROOM), fastest),
    ...timeLabels(fromMs, untilMs),
  ];
  const title = `Requests per second and credits over ${formatDuration(untilMs - fromMs)}`;
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    ...parts.filter((part) => part !== ''),
    '</svg>',
  ].join('\n');
}

function pauseShade(fromX: number, untilX: number): string {
  if (untilX <= fromX) return '';
  return `<rect class="pause" x="${px(fromX)}" y="${TOP}" width="${px(Math.max(untilX - fromX, 1))}" height="${PLOT_HEIGHT}"/>`;
}

function speedBar(index: number, count: number, topY: number): string {
  const width = PLOT_WIDTH / count;
  const height = TOP + PLOT_HEIGHT - topY;
  if (height <= 0) return '';
  // A hair of overlap, so that neighbours are one shape and not a fence.
  return `<rect class="speed" x="${px(LEFT + index * width)}" y="${px(topY)}" width="${px(width + 0.3)}" height="${px(height)}"/>`;
}

function limitLine(atY: number, limitPerSecond: number): string {
  const words = `limit ${shortNumber(limitPerSecond)}/s`;
  return `<path class="limit" d="M${LEFT} ${px(atY)}H${LEFT + PLOT_WIDTH}"/><text x="${LEFT + 4}" y="${px(atY - 4)}">${words}</text>`;
}

/** The credits spent so far, as steps; the scale on the right ends at their sum. */
function creditLine(credits: readonly number[]): string {
  const sum = credits.reduce((total, each) => total + each, 0);
  if (sum === 0) return '';
  const width = PLOT_WIDTH / credits.length;
  let spent = 0;
  const steps = credits.map((each, index) => {
    spent += each;
    const atY = TOP + PLOT_HEIGHT * (1 - spent / (sum * HEADROOM));
    return `${px(LEFT + (index + 1) * width)} ${px(atY)}`;
  });
  const endY = TOP + PLOT_HEIGHT * (1 - 1 / HEADROOM);
  const label = `<text class="credits-label" x="${LEFT + PLOT_WIDTH + 4}" y="${px(endY + 4)}">${shortNumber(sum)}</text>`;
  return `<polyline class="credits" points="${LEFT} ${TOP + PLOT_HEIGHT} ${steps.join(' ')}"/>${label}`;
}

function axes(baseY: number, topY: number, fastest: number): string {
  return [
    `<path class="axis" d="M${LEFT} ${TOP}V${px(baseY)}H${LEFT + PLOT_WIDTH}"/>`,
    `<text class="speed-label" x="${LEFT - 4}" y="${px(topY + 4)}" text-anchor="end">${shortNumber(fastest / HEADROOM)}</text>`,
    `<text x="${LEFT - 4}" y="${px(baseY)}" text-anchor="end">0</text>`,
    `<text class="speed-label" x="${LEFT}" y="14">requests/s</text>`,
    `<text class="credits-label" x="${WIDTH - 4}" y="14" text-anchor="end">credits</text>`,
  ].join('');
}

/** Calendar times in UTC, as everywhere in what we write; with the date when the batch took longer than a day. */
function timeLabels(fromMs: number, untilMs: number): readonly string[] {
  const isLong = untilMs - fromMs > 24 * 60 * 60_000;
  return Array.from({ length: TIME_LABELS }, (_, index) => {
    const share = index / (TIME_LABELS - 1);
    const time = new Date(fromMs + share * (untilMs - fromMs)).toISOString();
    const words = isLong ? time.slice(5, 16).replace('T', ' ') : time.slice(11, 19);
    const anchor = index === 0 ? 'start' : index === TIME_LABELS - 1 ? 'end' : 'middle';
    return `<text x="${px(LEFT + share * PLOT_WIDTH)}" y="${HEIGHT - 12}" text-anchor="${anchor}">${words}</text>`;
  });
}

function px(value: number): string {
  return String(Number(value.toFixed(1)));
}

function shortNumber(value: number): string {
  return grouped(Number(value.toPrecision(3)));
}

export const CHART_STYLE = `
svg { width: 100%; max-width: 45rem; height: auto; font: 11px system-ui, sans-serif }
svg text { fill: currentColor } svg .axis { fill: none; stroke: currentColor; stroke-opacity: .4 }
svg .speed { fill: ${SPEED}; fill-opacity: .75 } svg .speed-label { fill: ${SPEED} }
svg .pause { fill: currentColor; fill-opacity: .12 }
svg .limit { fill: none; stroke: currentColor; stroke-dasharray: 5 4 }
svg .credits { fill: none; stroke: ${CREDITS}; stroke-width: 2 } svg .credits-label { fill: ${CREDITS} }
`;
