import { text } from '../text.ts';
import { grouped } from './figures.ts';

/** How many rows ended how, as one bar and its legend: by colour, and by word for who sees no colours. */

type Tone = 'good' | 'none' | 'warn' | 'bad';

const OUTCOMES: readonly (readonly [kind: keyof typeof text.rows.status, tone: Tone])[] = [
  ['matched', 'good'],
  ['applied', 'good'],
  ['unchanged', 'good'],
  ['no_match', 'none'],
  ['skipped', 'none'],
  ['invalid', 'warn'],
  ['refused', 'warn'],
  ['in_doubt', 'bad'],
];

type Counts = Readonly<Record<string, number>>;

export const NEED_ATTENTION = ['invalid', 'refused', 'in_doubt'];

/** How many rows ended so; without kinds, all that are counted. */
export function sumOf(counts: Counts, kinds: readonly string[] = Object.keys(counts)): number {
  return kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}

interface Counted {
  readonly counts: Counts;
  readonly rows: number;
}

const WIDTH = 1000;

export function OutcomeBar({ counts, rows, label }: Counted & { readonly label: string }) {
  let from = 0;
  const parts = OUTCOMES.flatMap(([kind, tone]) => {
    const count = counts[kind] ?? 0;
    if (count === 0 || rows === 0) return [];
    const width = (count / rows) * WIDTH;
    from += width;
    return [<rect key={kind} class={`tone-${tone}`} x={from - width} y="0" width={width} height="10" />];
  });
  return (
    <svg
      class="outcome-bar"
      viewBox={`0 0 ${WIDTH} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {parts}
    </svg>
  );
}

export function OutcomeLegend({ counts, rows }: Counted) {
  const settled = sumOf(counts);
  const shown = OUTCOMES.filter(([kind]) => (counts[kind] ?? 0) > 0);
  return (
    <ul class="legend">
      {shown.map(([kind, tone]) => (
        <li key={kind}>
          <span class={`swatch tone-${tone}`} /> {text.rows.status[kind]}{' '}
          <strong>{grouped(counts[kind] ?? 0)}</strong>
        </li>
      ))}
      {settled < rows && (
        <li>
          <span class="swatch" /> {text.batch.toDo} <strong>{grouped(rows - settled)}</strong>{' '}
          <span class="muted">{text.batch.share(String(Math.floor((100 * settled) / rows)))}</span>
        </li>
      )}
    </ul>
  );
}
