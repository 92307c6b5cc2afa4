import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Lists, ListView } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Button } from '../parts/controls.tsx';
import { dateAndTime, fileSize } from '../parts/figures.ts';
import { go } from '../router.ts';
import { ask } from '../session.ts';
import { text } from '../text.ts';

export function New() {
  const changed = useSignal(0);
  return (
    <>
      <div>
        <h1>{text.bring.title}</h1>
        <p class="muted">{text.bring.what}</p>
      </div>
      <Loaded<Lists> path="/lists" again={changed.value}>
        {(lists) => (
          <>
            <Bring {...lists} />
            <Recent lists={lists.lists} onRemoved={() => (changed.value += 1)} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface Brought {
  readonly name: string;
  readonly content: Blob;
}

function Bring({ endings }: Lists) {
  const action = useAction();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const bring = (file: Brought | undefined): void => {
      if (file !== undefined) action.run(() => brought(file, signal));
    };
    const chosen = (files: FileList | null | undefined): Brought | undefined =>
      files?.[0] && { name: files[0].name, content: files[0] };
    input.current?.addEventListener('change', () => bring(chosen(input.current?.files)), { signal });
    document.addEventListener('dragover', (event) => event.preventDefault(), { signal });
    document.addEventListener(
      'drop',
      (event) => {
        event.preventDefault();
        bring(chosen(event.dataTransfer?.files));
      },
      { signal },
    );
    document.addEventListener('paste', ({ clipboardData }) => bring(pastedIn(clipboardData)), { signal });
    return () => leaving.abort();
  }, []);
  return (
    <section class="card empty" aria-label={text.bring.zone}>
      <strong>{text.bring.drop}</strong>
      <input ref={input} type="file" hidden accept={endings.join(',')} aria-label={text.bring.choose} />
      <Button
        class="primary"
        disabled={action.isBusy.value}
        onClick={() => {
          // So that the same file can be chosen again after it was mended.
          if (input.current !== null) input.current.value = '';
          input.current?.click();
        }}
        says={action.isBusy.value ? text.bring.saving : text.bring.choose}
      />
      <p class="muted">{text.bring.paste}</p>
      <small class="muted">{text.bring.kinds}</small>
      <RefusedNotice refused={action.refused.value} />
    </section>
  );
}

async function brought({ name, content }: Brought, signal: AbortSignal): Promise<void> {
  const path = `/lists?name=${encodeURIComponent(name)}`;
  const { id } = await ask<ListView>(path, { method: 'PUT', body: content, signal });
  go(`/lists/${id}`);
}

/** Spreadsheets put cells on the clipboard as lines with tabs between them. */
function pastedIn(clipboard: DataTransfer | null): Brought | undefined {
  const file = clipboard?.files[0];
  if (file !== undefined && !file.type.startsWith('image/')) return { name: file.name, content: file };
  const cells = clipboard?.getData('text/plain') ?? '';
  if (cells.trim() === '') return undefined;
  const minute = new Date().toLocaleString('sv').slice(0, 16).replace(':', '.');
  return { name: text.bring.pastedName(minute), content: new Blob([cells]) };
}

function Recent({
  lists,
  onRemoved,
}: {
  readonly lists: readonly ListView[];
  readonly onRemoved: () => void;
}) {
  if (lists.length === 0) return <p class="muted">{text.bring.noneYet}</p>;
  return (
    <section class="stack">
      <h2>{text.bring.recent}</h2>
      <ul class="cards">
        {lists.map((list) => (
          <RecentList key={list.id} list={list} onRemoved={onRemoved} />
        ))}
      </ul>
    </section>
  );
}

function RecentList({ list, onRemoved }: { readonly list: ListView; readonly onRemoved: () => void }) {
  const action = useAction();
  const remove = (): void =>
    action.run(async () => {
      await ask(`/lists/${list.id}`, { method: 'DELETE' });
      onRemoved();
    });
  return (
    <li class="card list-line">
      <a class="cut" href={`/lists/${list.id}`} title={list.name}>
        {list.name}
      </a>
      <span class="muted">{fileSize(list.bytes)}</span>
      <time class="muted" dateTime={list.at}>
        {dateAndTime(list.at)}
      </time>
      <Button
        class="plain"
        aria-label={text.bring.removeNamed(list.name)}
        onClick={() => confirm(text.bring.removeSure(list.name)) && remove()}
        says={text.bring.remove}
      />
      <RefusedNotice refused={action.refused.value} />
    </li>
  );
}
