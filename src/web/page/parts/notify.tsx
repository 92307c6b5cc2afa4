import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { BatchStatusObject } from '../../api.ts';
import { looksHidden } from '../session.ts';
import { Button } from './controls.tsx';
import { foundWords, needing, needWords } from './figures.ts';

/** A notice of the browser when a long list has ended: only where she asked for it, and looks elsewhere. */

type OfBatch = Pick<BatchStatusObject, 'batch' | 'seconds_left' | 'running_since'>;

/** The batches of which she wants to hear in this tab. */
const wanted = signal<ReadonlySet<string>>(new Set());

/** A tab that nobody sees asks its server only where somebody waits for the end. */
effect(() => {
  looksHidden.value = wanted.value.size > 0;
});

/** Nobody leaves for less. */
const LONG_S = 60;

const isLong = ({ seconds_left: secondsLeft, running_since: since }: OfBatch): boolean =>
  (secondsLeft ?? 0) > LONG_S || (since !== undefined && Date.now() - Date.parse(since) > LONG_S * 1000);

export function NotifyMe({ batch: shown }: { readonly batch: OfBatch }) {
  const { batch } = shown;
  if (wanted.value.has(batch)) return <>You are notified when it is done.</>;
  // A browser in which she has said no once asks her no more.
  if (!('Notification' in window) || Notification.permission === 'denied' || !isLong(shown)) return null;
  const want = async (): Promise<void> => {
    if ((await Notification.requestPermission()) !== 'granted') return;
    wanted.value = new Set([...wanted.value, batch]);
  };
  return <Button look="link" says="Notify me when it is done" onClick={want} />;
}

interface EndProps {
  readonly name: string;
  readonly batch: BatchStatusObject | undefined;
  readonly isRunning: boolean;
}

/** Says that a batch has ended, once, where she wants to hear it and does not see it. */
export function EndNotice({ name, batch, isRunning }: EndProps): null {
  const was = useRef(isRunning);
  useEffect(() => {
    const hasEnded = was.current && !isRunning;
    was.current = isRunning;
    if (batch === undefined || !hasEnded || !wanted.value.has(batch.batch)) return;
    wanted.value = new Set([...wanted.value].filter((each) => each !== batch.batch));
    if (!document.hidden || batch.held_since !== undefined) return;
    const body = batch.state === 'finished' ? endWords(batch) : 'It has stopped, and waits for you.';
    const notice = new Notification(name, { body });
    notice.onclick = () => window.focus();
  }, [isRunning]);
  return null;
}

const endWords = (batch: BatchStatusObject): string =>
  `Done: ${foundWords(batch)}${needing(batch) > 0 ? `; ${needWords(needing(batch))}` : ''}.`;
