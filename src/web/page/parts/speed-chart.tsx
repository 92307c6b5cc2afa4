import type { ActivityView } from '../../api.ts';
import { text } from '../text.ts';
import { duration, grouped } from './figures.ts';

/** Requests in a second over time, against what the account may send. */

const HEIGHT = 160;
const BOTTOM = 22;
const TOP = 22;
const PLOT = HEIGHT - TOP - BOTTOM;
/** Room for the words about the limit, which end at the right edge above their line. */
const LIMIT_WORDS = 90;
/** Half of a digit. */
const HALF_DIGIT = 4;
/** Letters of another line do not touch. */
const LINE = 16;
/** The widest place that the style gives it, and what of the window is beside it. */
const WIDEST = 1086;
const BESIDE = 66;

export function SpeedChart({
  activity,
  limit,
}: {
  readonly activity: ActivityView;
  readonly limit: number | null;
}) {
  const { bucket_ms, requests } = activity;
  if (requests.length === 0) return <p class="muted">{text.batch.nothingSent}</p>;
  // One unit is one pixel, so that letters have their size on every screen.
  const across = Math.min(WIDEST, globalThis.innerWidth - BESIDE);
  const speeds = requests.map((count) => (count * 1000) / bucket_ms);
  const fastest = Math.max(...speeds);
  const top = Math.max(fastest, limit ?? 0, 0.1);
  const y = (speed: number): number => TOP + PLOT * (1 - speed / top);
  const width = across / Math.max(speeds.length, 12);
  const seconds = (bucket_ms * requests.length) / 1000;
  const isBesideLimit = limit !== null && Math.abs(y(limit) - y(fastest)) < LINE;
  const half = grouped(fastest).length * HALF_DIGIT;
  const fastestAt = Math.min(
    Math.max((speeds.indexOf(fastest) + 0.5) * width, half),
    across - half - (isBesideLimit ? LIMIT_WORDS : 0),
  );
  const end = speeds.length * width;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${across} ${HEIGHT}`}
        role="img"
        aria-label={text.batch.chart(grouped(fastest), duration(seconds))}
      >
        {speeds.map((speed, at) => (
          <rect
            key={at}
            class="bar"
            x={at * width + width * 0.08}
            y={y(speed)}
            width={width * 0.84}
            height={TOP + PLOT - y(speed)}
          />
        ))}
        <line class="axis" x1={0} x2={across} y1={TOP + PLOT} y2={TOP + PLOT} />
        {limit !== null && (
          <>
            <line class="limit" x1={0} x2={across} y1={y(limit)} y2={y(limit)} />
            <text x={across} y={y(limit) - 5} text-anchor="end">
              {text.batch.limit(grouped(limit))}
            </text>
          </>
        )}
        <text x={fastestAt} y={y(fastest) - 5} text-anchor="middle">
          {grouped(fastest)}
        </text>
        <text x={0} y={HEIGHT - 4}>
          {text.batch.begin}
        </text>
        {end > 90 && (
          <text x={end} y={HEIGHT - 4} text-anchor="end">
            {duration(seconds)}
          </text>
        )}
      </svg>
      <figcaption class="muted">{text.batch.perSecond}</figcaption>
    </figure>
  );
}
