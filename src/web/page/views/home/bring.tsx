import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Lists, ListView } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { dayAndMonth, percent } from '../../parts/figures.ts';
import { go } from '../../router.ts';
import { ask, send } from '../../session.ts';

/** How a list comes to the page: it is dropped, chosen or pasted, or is the sample. */

interface Brought {
  readonly name: string;
  readonly content: Blob;
}

export function Bring({ endings }: Pick<Lists, 'endings'>) {
  const action = useAction();
  const input = useRef<HTMLInputElement>(null);
  const isOver = useSignal(false);
  /** Which part of a file has arrived. */
  const part = useSignal(0);
  const bring = (file: Brought | undefined): void => {
    if (file !== undefined) action.run(() => brought(file, (now) => (part.value = now)));
  };
  useWholePage(bring, (is) => (isOver.value = is));
  return (
    <section class={`drop ${isOver.value ? 'over' : ''}`} aria-label="Bring a list">
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
          bring(fileIn(currentTarget.files));
          // So that the same file can be chosen again after it was mended.
          currentTarget.value = '';
        }}
      />
      <p class="row">
        <Button
          look="go"
          disabled={action.isBusy.value}
          onClick={() => input.current?.click()}
          says="Choose a file"
        />
        <Button
          disabled={action.isBusy.value}
          onClick={() => action.run(bringSample)}
          says="Try the sample list with play money"
        />
      </p>
      <p class="soft">You can also paste a table that you copied.</p>
      {action.isBusy.value && (
        <p role="status">
          <progress value={part.value} aria-label="How much has arrived" /> {percent(part.value, 1)} has
          arrived
        </p>
      )}
      <RefusedNotice refused={action.refused.value} />
    </section>
  );
}

/** Takes what is dropped or pasted anywhere on the page. */
function useWholePage(bring: (file: Brought | undefined) => void, hover: (isOver: boolean) => void): void {
  const latest = useRef(bring);
  latest.current = bring;
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const over = (event: DragEvent): void => {
      event.preventDefault();
      hover(true);
    };
    const drop = (event: DragEvent): void => {
      event.preventDefault();
      hover(false);
      latest.current(fileIn(event.dataTransfer?.files));
    };
    const leave = ({ relatedTarget }: DragEvent): void => hover(relatedTarget !== null);
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('dragleave', leave, { signal });
    document.addEventListener('drop', drop, { signal });
    document.addEventListener('paste', ({ clipboardData }) => latest.current(pastedIn(clipboardData)), {
      signal,
    });
    return () => leaving.abort();
  }, []);
}

function fileIn(files: FileList | null | undefined): Brought | undefined {
  const file = files?.[0];
  return file && { name: file.name, content: file };
}

/** Spreadsheets put cells on the clipboard as lines with tabs between them. */
function pastedIn(clipboard: DataTransfer | null): Brought | undefined {
  const cells = clipboard?.getData('text/plain') ?? '';
  if (!/[\t\n]/.test(cells.trim())) return undefined;
  // A second table of the day is another list, so its name has the time.
  const now = new Date();
  const time = now.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return { name: `Pasted ${dayAndMonth(now)}, ${time.replace(':', '.')}.tsv`, content: new Blob([cells]) };
}

async function brought({ name, content }: Brought, tell: (part: number) => void): Promise<void> {
  const { id } = await send<ListView>(`/lists?name=${encodeURIComponent(name)}`, content, tell);
  go(`/lists/${id}`);
}

async function bringSample(): Promise<void> {
  const sample = await (await fetch('/sample.csv')).blob();
  const { id, job } = await send<ListView>('/lists?name=Sample list.csv', sample, () => {});
  const first = { operation: 'enrich-company', account: 'sandbox-provider' };
  // What she has chosen for it the last time stays.
  if (Object.keys(job).length === 0) await ask(`/lists/${id}/job`, { method: 'PUT', body: first });
  go(`/lists/${id}`);
}
