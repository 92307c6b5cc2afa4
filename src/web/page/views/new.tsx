import { effect, type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Lists, ListView, Refusal as RefusalBody } from '../../api.ts';
import { asRefused, Loaded, Refusal } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { dropped, isOver } from '../parts/dropped.tsx';
import { dateAndTime, fileSize } from '../parts/figures.ts';
import { go } from '../router.ts';
import { ask, headers, Refused } from '../session.ts';
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

interface OnItsWay {
  readonly name: string;
  readonly bytes: number;
  readonly sent: number;
  cancel(): void;
}

function Bring({ most_bytes: most, endings }: Lists) {
  const onItsWay = useSignal<OnItsWay | undefined>(undefined);
  const refused = useSignal<Refused | undefined>(undefined);
  const last = useSignal<Brought | undefined>(undefined);
  const bring = (brought: Brought): void => {
    refused.value = undefined;
    last.value = brought;
    void uploaded(brought, most, onItsWay).catch((error) => {
      if (error !== undefined) refused.value = asRefused(error);
    });
  };
  useEffect(() => {
    const leave = [
      effect(() => {
        const file = dropped.value;
        dropped.value = undefined;
        if (file !== undefined) bring({ name: file.name, content: file });
      }),
      listen('paste', ({ clipboardData, target }) => {
        const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
        const pasted = isTyping ? undefined : pastedIn(clipboardData);
        if (pasted !== undefined) bring(pasted);
      }),
    ];
    return () => {
      for (const each of leave) each();
      onItsWay.value?.cancel();
    };
  }, []);
  return (
    <section class={`card bring${isOver.value ? ' over' : ''}`} aria-label={text.bring.zone}>
      {onItsWay.value === undefined ? (
        <Choose endings={endings} most={most} onChosen={bring} />
      ) : (
        <Progress {...onItsWay.value} />
      )}
      <Refusal refused={refused.value} />
      {isPassing(refused.value) && last.value !== undefined && <Again brought={last.value} bring={bring} />}
    </section>
  );
}

/** Whether the same file may be taken later. What is wrong with the file itself stays wrong. */
const isPassing = (refused: Refused | undefined): boolean =>
  refused !== undefined && refused.code !== 'input';

/** A line that was cut off is often there again: the file need not be looked for once more. */
function Again({
  brought,
  bring,
}: {
  readonly brought: Brought;
  readonly bring: (brought: Brought) => void;
}) {
  return (
    <button type="button" onClick={() => bring(brought)}>
      {text.bring.again(brought.name)}
    </button>
  );
}

function listen<K extends 'paste'>(kind: K, heard: (event: DocumentEventMap[K]) => void): () => void {
  document.addEventListener(kind, heard);
  return () => document.removeEventListener(kind, heard);
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

async function uploaded(
  { name, content }: Brought,
  most: number,
  onItsWay: Signal<OnItsWay | undefined>,
): Promise<void> {
  if (content.size > most)
    throw new Refused({ code: 'input', ...text.bring.tooLarge(fileSize(content.size), fileSize(most)) });
  onItsWay.value?.cancel();
  const sending: Sending<ListView> = send(
    `/lists?name=${encodeURIComponent(name)}`,
    content,
    (sent) => (onItsWay.value = { ...way, sent }),
  );
  const way = { name, bytes: content.size, sent: 0, cancel: sending.cancel };
  onItsWay.value = way;
  try {
    const { id } = await sending.done;
    go(`/lists/${id}`);
  } finally {
    if (onItsWay.value?.cancel === sending.cancel) onItsWay.value = undefined;
  }
}

function Choose({
  endings,
  most,
  onChosen,
}: {
  readonly endings: readonly string[];
  readonly most: number;
  readonly onChosen: (brought: Brought) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <strong>{text.bring.drop}</strong>
      <input
        ref={input}
        type="file"
        hidden
        accept={endings.join(',')}
        aria-label={text.bring.choose}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          // So that the same file can be chosen again after it was mended.
          currentTarget.value = '';
          if (file !== undefined) onChosen({ name: file.name, content: file });
        }}
      />
      <button type="button" class="primary" onClick={() => input.current?.click()}>
        {text.bring.choose}
      </button>
      <p class="muted">{text.bring.paste}</p>
      <small class="muted">{text.bring.kinds(fileSize(most))}</small>
    </>
  );
}

function Progress({ name, bytes, sent, cancel }: OnItsWay) {
  const isSent = sent >= bytes;
  return (
    <>
      <strong class="cut" title={name}>
        {name}
      </strong>
      <progress max={bytes} value={sent} aria-label={text.bring.sending} />
      <span class="muted" role="status">
        {isSent ? text.bring.saving : text.bring.sent(fileSize(sent), fileSize(bytes))}
      </span>
      <button type="button" onClick={cancel}>
        {text.bring.cancel}
      </button>
    </>
  );
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
  const isAsked = useSignal(false);
  const action = useAction();
  const remove = (): void =>
    action.run(async () => {
      isAsked.value = false;
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
      {isAsked.value ? (
        <span class="actions">
          <button type="button" class="danger" onClick={remove}>
            {text.bring.removeSure}
          </button>
          <button type="button" onClick={() => (isAsked.value = false)}>
            {text.bring.keep}
          </button>
        </span>
      ) : (
        <button
          type="button"
          class="plain"
          aria-label={text.bring.removeNamed(list.name)}
          onClick={() => (isAsked.value = true)}
        >
          {text.bring.remove}
        </button>
      )}
      <Refusal refused={action.refused.value} />
    </li>
  );
}

/** A file on its way to the server. Only the older of the two ways in which browsers ask tells how much was sent. */
interface Sending<T> {
  readonly done: Promise<T>;
  cancel(): void;
}

/** @param progress is told the bytes that have left. `done` rejects with `Refused`, or with undefined after `cancel`. */
function send<T>(path: string, content: Blob, progress: (sent: number) => void): Sending<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<T>((resolve, reject) => {
    const refuse = (error: RefusalBody['error']): void => reject(new Refused(error));
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onabort = () => reject(undefined);
    request.onerror = () => refuse({ code: 'offline', ...text.bring.cutOff });
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status < 300 && answer !== null) resolve(answer as T);
      else refuse((answer as RefusalBody | null)?.error ?? { code: 'offline', ...text.bring.cutOff });
    };
  });
  request.open('PUT', `/api${path}`);
  request.responseType = 'json';
  for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.send(content);
  return { done, cancel: () => request.abort() };
}
