import type { BatchView } from '../../api.ts';
import { plainWord, text, wordOf } from '../text.ts';
import { NEED_ATTENTION, sumOf } from './outcomes.tsx';

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
  return <span class={`tag ${TONES[status] ?? ''}`}>{plainWord(status)}</span>;
}

export function PlayMoney() {
  return <span class="tag play">{text.playMoney}</span>;
}

/** What is asked for, as a person would say it: `domain acme.example`. */
export function askedWords(parameters: Readonly<Record<string, unknown>>): string {
  const said = Object.entries(parameters).filter(([, value]) => value !== '');
  return said
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

export function About({
  of: { input, operation, sandbox },
}: {
  readonly of: { readonly input: string; readonly operation: string; readonly sandbox: boolean };
}) {
  return (
    <p class="actions">
      <span class="cut" title={input}>
        {fileName(input)}
      </span>
      <span class="muted">{wordOf(text.todo.operations, operation)}</span>
      {sandbox && <PlayMoney />}
    </p>
  );
}

/** A text of a vendor or a list; an address on the web can be followed, and is told nothing of this page. */
export function ForeignText({ value }: { readonly value: string }) {
  return /^https?:\/\/[^\s]+$/i.test(value) ? (
    <a href={value} target="_blank" rel="noreferrer">
      {value}
    </a>
  ) : (
    value
  );
}
