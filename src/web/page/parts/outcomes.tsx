import { text } from '../text.ts';
import { grouped } from './figures.ts';

type Counts = Readonly<Record<string, number>>;

export const NEED_ATTENTION = ['invalid', 'refused', 'in_doubt'];

/** How many rows ended so; without kinds, all that are counted. */
export function sumOf(counts: Counts, kinds: readonly string[] = Object.keys(counts)): number {
  return kinds.reduce((sum, kind) => sum + (counts[kind] ?? 0), 0);
}

/** How many of the rows have ended, as a bar and in words. */
export function Progress({ settled, rows }: { readonly settled: number; readonly rows: number }) {
  const label = text.batches.rows(grouped(settled), grouped(rows));
  return (
    <>
      <progress max={Math.max(rows, 1)} value={settled} aria-label={label} />
      <span class="muted">{label}</span>
    </>
  );
}
