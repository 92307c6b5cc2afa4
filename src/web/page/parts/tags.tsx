import type { BatchView } from '../../api.ts';
import { text, wordOf } from '../text.ts';
import { NEED_ATTENTION, sumOf } from './outcomes.tsx';

/** How a batch or a row stands, in a word with a colour. */

export function BatchState({
  batch,
  running = batch.running,
}: {
  readonly batch: BatchView;
  readonly running?: boolean;
}) {
  const { state, held_since, counts } = batch;
  const { states } = text.batch;
  const [word, tone] = running
    ? [states.running, 'live']
    : held_since !== undefined
      ? [states.held, 'warn']
      : state === 'finished' && sumOf(counts, NEED_ATTENTION) > 0
        ? [states.attention, 'warn']
        : [states[state], state === 'finished' ? 'good' : ''];
  return <span class={`tag ${tone}`}>{word}</span>;
}

const TONES: Readonly<Record<string, string>> = {
  matched: 'good',
  applied: 'good',
  invalid: 'bad',
  refused: 'bad',
  in_doubt: 'warn',
};

export function StatusTag({ status }: { readonly status: string }) {
  return <span class={`tag ${TONES[status] ?? ''}`}>{wordOf(text.rows.status, status)}</span>;
}

/** Stands wherever credits are not real ones. */
export function PlayMoney() {
  return <span class="tag play">{text.playMoney}</span>;
}
