import { createElement } from 'preact';
import type { BatchDetail, ChartView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { text } from '../text.ts';
import { duration, grouped } from './figures.ts';

/** The widest place that the style gives it, and what of the window is beside it. */
const WIDEST = 1086;
const BESIDE = 66;

/** As the server draws it: nothing moves when it comes. */
const HEIGHT = 240;

/** What a batch sent over time, drawn as in its report. */
export function SpeedChart({ batch: shown }: { readonly batch: BatchDetail }) {
  const { batch, activity, requests: sent } = shown;
  const { bucket_ms: bucketMs, requests } = activity;
  if (requests.length === 0) return <p class="muted">{text.batch.nothingSent}</p>;
  const fastest = (Math.max(...requests) * 1000) / bucketMs;
  const took = duration((bucketMs * requests.length) / 1000);
  const title = text.batch.chartTitle(grouped(fastest), took);
  // One unit is one pixel, so that letters have their size on every screen.
  const width = Math.max(200, Math.min(WIDEST, globalThis.innerWidth - BESIDE));
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <figure class="chart">
      <Loaded<ChartView>
        path={`/batches/${batch}/chart?width=${width}&zone=${encodeURIComponent(timeZone)}`}
        again={sent}
        meanwhile={<svg viewBox={`0 0 ${width} ${HEIGHT}`} />}
      >
        {({ shapes }) => (
          <svg viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={title}>
            {shapes.map(({ tag, attributes, words }, key) =>
              createElement(tag, { key, ...attributes }, words),
            )}
          </svg>
        )}
      </Loaded>
      <figcaption class="muted">{`${title}. ${keyOf(shown)}`}</figcaption>
    </figure>
  );
}

/** What the picture shows, and nothing else. */
function keyOf({ activity: { credits, pauses }, limit_per_second: limit }: BatchDetail): string {
  const { chartKey: key } = text.batch;
  return [
    key.requests,
    ...(credits.some((each) => each > 0) ? [key.credits] : []),
    ...(limit === null ? [] : [key.limit]),
    ...(pauses.length === 0 ? [] : [key.pauses]),
  ].join(' ');
}
