import type { ActivityView } from '../../api.ts';
import { text } from '../text.ts';
import { number, span } from './figures.ts';

/** Requests in a second over time, against what the account may send. */

const HEIGHT = 160;
const LEFT = 44;
const BOTTOM = 22;
const TOP = 10;
const PLOT = HEIGHT - TOP - BOTTOM;
/** Room above the highest bar or the limit. */
const HEADROOM = 1.15;

export function SpeedChart({
  activity,
  limit,
}: {
  readonly activity: ActivityView;
  readonly limit: number | null;
}) {
  const { bucket_ms, requests } = activity;
  if (requests.length === 0) return <p class="muted chart-empty">{text.batch.nothingSent}</p>;
  // Letters keep their size on a narrow screen, because the drawing is not scaled down.
  const across = globalThis.innerWidth < 640 ? 330 : 720;
  const speeds = requests.map((count) => (count * 1000) / bucket_ms);
  const fastest = Math.max(...speeds);
  const top = Math.max(fastest, limit ?? 0, 0.1) * HEADROOM;
  const y = (speed: number): number => TOP + PLOT * (1 - speed / top);
  const width = (across - LEFT) / Math.max(speeds.length, 12);
  const seconds = (bucket_ms * requests.length) / 1000;
  return (
    <figure class="chart">
      <svg
        viewBox={`0 0 ${across} ${HEIGHT}`}
        role="img"
        aria-label={text.batch.chart(number(fastest), span(seconds))}
      >
        {speeds.map((speed, at) => (
          <rect
            key={at}
            class="bar"
            x={LEFT + at * width + width * 0.08}
            y={y(speed)}
            width={width * 0.84}
            height={TOP + PLOT - y(speed)}
          />
        ))}
        <line class="axis" x1={LEFT} x2={across} y1={TOP + PLOT} y2={TOP + PLOT} />
        {limit !== null && (
          <>
            <line class="limit" x1={LEFT} x2={across} y1={y(limit)} y2={y(limit)} />
            <text x={across} y={y(limit) - 4} text-anchor="end">
              {text.batch.limit(number(limit))}
            </text>
          </>
        )}
        <text x={LEFT - 6} y={TOP + PLOT + 4} text-anchor="end">
          0
        </text>
        <text x={LEFT - 6} y={y(fastest) + 4} text-anchor="end">
          {number(fastest)}
        </text>
        <text x={LEFT} y={HEIGHT - 4}>
          {text.batch.begin}
        </text>
        <text
          x={LEFT + speeds.length * width}
          y={HEIGHT - 4}
          text-anchor={speeds.length * width > 90 ? 'end' : 'start'}
        >
          {speeds.length * width > 90 ? span(seconds) : ''}
        </text>
      </svg>
      <figcaption class="muted">{text.batch.perSecond}</figcaption>
    </figure>
  );
}
