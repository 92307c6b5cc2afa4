import type { BatchView } from '../../api.ts';
import { text } from '../text.ts';

/** In a word, how a batch stands. */
export function BatchState({
  batch,
  running = batch.running,
}: {
  readonly batch: BatchView;
  readonly running?: boolean;
}) {
  const { state, held_since } = batch;
  const attention = ['invalid', 'refused', 'in_doubt'].some((kind) => (batch.counts[kind] ?? 0) > 0);
  const [word, tone] = running
    ? [text.batch.states.running, 'live']
    : held_since !== null
      ? [text.batch.states.held, 'warn']
      : state === 'finished' && attention
        ? [text.batch.states.attention, 'warn']
        : [text.batch.states[state], state === 'finished' ? 'good' : ''];
  return <span class={`tag ${tone}`}>{word}</span>;
}

export function PlayMoney({ batch }: { readonly batch: Pick<BatchView, 'sandbox'> }) {
  return batch.sandbox ? <span class="tag play">{text.playMoney}</span> : null;
}
