import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Lists, ListView } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { dayAndMonth } from '../../parts/figures.ts';
import { go } from '../../router.ts';
import { ask } from '../../session.ts';

/** How a list comes to the page: it is dropped, chosen or pasted, or is the sample. */
export function Bring({ endings }: Pick<Lists, 'endings'>) {
  const { isBusy, refused, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const take = (file: File | undefined): void => {
    if (file !== undefined) run(() => bring(file));
  };
  const isOver = useWholePage(take);
  return (
    <section class={isOver.value ? 'drop over' : 'drop'} aria-label="Bring a list">
      <h1>Drop your list here</h1>
      <p class="soft">
        An Excel or CSV file. Rowonce finds what is missing, or invites the people on it, and never pays for a
        row twice.
      </p>
      <input
        ref={input}
        type="file"
        hidden
        accept={endings.join(',')}
        onChange={({ currentTarget }) => {
          take(currentTarget.files?.[0]);
          // So that the same file can be chosen again after it was mended.
          currentTarget.value = '';
        }}
      />
      <p class="row">
        <Button
          look="go"
          disabled={isBusy.value}
          onClick={() => input.current?.click()}
          says="Choose a file"
        />
        <Button
          disabled={isBusy.value}
          onClick={() => run(bringSample)}
          says="Try the sample list with play money"
        />
      </p>
      <p class="soft" role="status">
        {isBusy.value ? 'It is being read…' : 'You can also paste a table that you copied.'}
      </p>
      <RefusedNotice refused={refused.value} />
    </section>
  );
}

/** Takes what is dropped or pasted anywhere on the page. @returns whether something is held over it now. */
function useWholePage(take: (file: File | undefined) => void): Signal<boolean> {
  const isOver = useSignal(false);
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      isOver.value = false;
      take(event.dataTransfer?.files[0]);
    };
    const paste = ({ clipboardData }: ClipboardEvent): void => take(pastedIn(clipboardData));
    const hold = (event: DragEvent): void => {
      event.preventDefault();
      // Only what leaves the whole page comes from nowhere on it.
      isOver.value = event.type === 'dragover' || event.relatedTarget !== null;
    };
    document.addEventListener('dragover', hold, { signal });
    document.addEventListener('dragleave', hold, { signal });
    document.addEventListener('drop', drop, { signal });
    document.addEventListener('paste', paste, { signal });
    return () => leaving.abort();
  }, []);
  return isOver;
}

/** Spreadsheets put cells on the clipboard as lines with tabs between them. */
function pastedIn(clipboard: DataTransfer | null): File | undefined {
  const cells = clipboard?.getData('text/plain') ?? '';
  if (!/[\t\n]/.test(cells.trim())) return undefined;
  // A second table of the day is another list, so its name has the time.
  const now = new Date();
  const time = now.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return new File([cells], `Pasted ${dayAndMonth(now)}, ${time.replace(':', '.')}.tsv`);
}

const sent = (file: File): Promise<ListView> =>
  ask(`/lists?name=${encodeURIComponent(file.name)}`, { method: 'PUT', body: file });

async function bring(file: File): Promise<void> {
  const { id } = await sent(file);
  go(`/lists/${id}`);
}

async function bringSample(): Promise<void> {
  const sample = await (await fetch('/sample.csv')).blob();
  const { id, job } = await sent(new File([sample], 'Sample list.csv'));
  const first = { operation: 'enrich-company', account: 'sandbox-provider' };
  // What she has chosen for it the last time stays.
  if (Object.keys(job).length === 0) await ask(`/lists/${id}/job`, { method: 'PUT', body: first });
  go(`/lists/${id}`);
}
