import { createElement } from 'preact';
import { CHART_HEIGHT, chartShapes } from '../../../files/output/activity-chart.ts';
import type { ActivityView } from '../../api.ts';
import { text } from '../text.ts';
import { duration, grouped, shortTime } from './figures.ts';

/** The widest place that the style gives it, and what of the window is beside it. */
const WIDEST = 1086;
const BESIDE = 66;

/** What a batch sent over time, drawn as in its report. */
export function SpeedChart({
  activity,
  limit,
}: {
  readonly activity: ActivityView;
  readonly limit: number | null;
}) {
  const { from_ms: fromMs, bucket_ms: bucketMs, requests, credits, pauses } = activity;
  if (requests.length === 0) return <p class="muted">{text.batch.nothingSent}</p>;
  const buckets = requests.map((count, at) => ({ requests: count, credits: credits[at] ?? 0 }));
  const chart = {
    activity: { fromMs, bucketMs, buckets },
    pauses: pauses.map(({ from_ms, until_ms }) => ({ fromMs: from_ms, untilMs: until_ms })),
    limitPerSecond: limit ?? undefined,
  };
  const fastest = (Math.max(...requests) * 1000) / bucketMs;
  const took = duration((bucketMs * requests.length) / 1000);
  const title = text.batch.chartTitle(grouped(fastest), took);
  // One unit is one pixel, so that letters have their size on every screen.
  const width = Math.min(WIDEST, globalThis.innerWidth - BESIDE);
  const words = { ...text.batch.chart, number: grouped, time: shortTime };
  return (
    <figure class="chart">
      <svg viewBox={`0 0 ${width} ${CHART_HEIGHT}`} role="img" aria-label={title}>
        {chartShapes(chart, words, width).map(([tag, attributes, said], key) =>
          createElement(tag, { key, ...attributes }, said),
        )}
      </svg>
      <figcaption class="muted">{`${title}. ${text.batch.chartKey}`}</figcaption>
    </figure>
  );
}
