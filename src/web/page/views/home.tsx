import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { callsThat } from '../../../core/described.ts';
import { inMoney } from '../../../core/money.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import type { BatchList, ListedBatch, Lists, ListView, OtherList } from '../../api.ts';
import { Act, Loaded, RefusedNotice, useAction } from '../parts/asking.tsx';
import { Button, ButtonLink, Stop } from '../parts/controls.tsx';
import {
  creditWords,
  dayAndMonth,
  doneWords,
  foundWords,
  grouped,
  needing,
  notStarted,
  when,
} from '../parts/figures.ts';
import { ask, beat, query } from '../session.ts';

export function Home() {
  const page = Number(query.value.get('page') ?? 1);
  return (
    <Loaded<Lists> path="/lists" again={beat.value}>
      {({ lists, endings }) => (
        <>
          <Bring endings={endings} />
          <Loaded<BatchList> path={`/batches?newest=true&page=${page}`} again={beat.value}>
            {(found) => <AllLists lists={lists} page={page} {...found} />}
          </Loaded>
        </>
      )}
    </Loaded>
  );
}

/** A list as it was brought, as it was worked on, or both. */
interface Line {
  readonly list: ListView | undefined;
  readonly batch: ListedBatch | undefined;
}

const timeOf = ({ list, batch }: Line): string =>
  [list?.at ?? '', batch?.created_at ?? ''].toSorted().at(-1) ?? '';

interface AllListsProps extends Pick<Lists, 'lists'>, BatchList {
  readonly page: number;
}

function AllLists({ lists, page, ...found }: AllListsProps) {
  const pages = Math.ceil(found.total / found.per_page);
  const lines = linesOf(lists, found, page);
  if (lines.length === 0) return null;
  return (
    <section aria-label="Your lists">
      <ul class="lists">
        {lines.map((line) => (
          <OneList {...line} key={line.list?.id ?? line.batch?.batch} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="row" aria-label="Older and newer lists">
          {page > 1 && <ButtonLink to={`/?page=${page - 1}`} says="Newer" />}
          <span class="soft">
            {grouped(page)} of {grouped(pages)}
          </span>
          {page < pages && <ButtonLink to={`/?page=${page + 1}`} says="Older" />}
        </nav>
      )}
    </section>
  );
}

/** Lists that were never started stand on the first page, which has what is newest. */
function linesOf(lists: readonly ListView[], { batches, total, per_page }: BatchList, page: number): Line[] {
  const oldest = total > per_page ? (batches.at(-1)?.created_at ?? '') : '';
  const unstarted = lists.filter(
    ({ id, at }) => page === 1 && at > oldest && !batches.some(({ list }) => list === id),
  );
  const started = batches.map((batch) => ({ list: lists.find(({ id }) => id === batch.list), batch }));
  const lines = [...unstarted.map((list) => ({ list, batch: undefined })), ...started];
  return lines.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
}

function OneList({ list, batch }: Line) {
  const isNew = batch === undefined || list?.standing.is === 'changed';
  const at = timeOf({ list, batch });
  const name = list?.name ?? batch?.input;
  return (
    <li>
      <a href={list === undefined ? `/files/${batch?.batch}` : `/lists/${list.id}`}>{name}</a>
      <span class="soft">
        {batch && `${whatOf(batch)} · `}
        <time dateTime={at}>{when(at)}</time>
      </span>
      <span>{batch && foundOf(batch)}</span>
      <span class="soft">{batch && costOf(batch)}</span>
      <span>{isNew ? (batch ? 'changed, ' : '') + notStarted(list) : stateOf(batch)}</span>
      <span>
        {list && (
          <Act
            look="link"
            says="Remove"
            aria-label={`Remove ${name}`}
            asks={`Remove “${name}” from this page? What was found for it stays known.`}
            does={() => ask(`/lists/${list.id}`, { method: 'DELETE' })}
          />
        )}
      </span>
    </li>
  );
}

const whatOf = ({ operation, undoes }: ListedBatch): string =>
  undoes === null ? whatWords(operation) : `taken back: ${whatWords(operation)}`;

/** Rows, where several things are looked for: what was found of each is said in the list. */
const foundOf = (batch: ListedBatch): string =>
  batch.running ? doneWords(batch) : foundWords(batch) + (batch.operation.includes(',') ? ' rows' : '');

/** What the list has cost so far, by all its starts. */
function costOf({ has_costs: hasCosts, in_all: all, sandbox }: ListedBatch): string {
  if (!hasCosts) return '–';
  return `${creditWords(all.credits)}${inMoney(all.cost)}${sandbox ? ', play money' : ''}`;
}

function stateOf(batch: ListedBatch) {
  const { state, running, held_since: held } = batch;
  const needs = needing(batch);
  if (running) return 'running';
  if (state === 'cancelled') return 'stopped for good';
  if (held !== undefined) return 'paused';
  if (state === 'open') return <b class="need">waits for you</b>;
  if (needs > 0) return <b class="need">{needs === 1 ? '1 needs you' : `${grouped(needs)} need you`}</b>;
  return 'done';
}

/** How a list comes to the page: it is dropped, chosen or pasted, or is the sample. */
function Bring({ endings }: Pick<Lists, 'endings'>) {
  const { isBusy, refused, run } = useAction();
  const input = useRef<HTMLInputElement>(null);
  const asked = useSignal<Asked | undefined>(undefined);
  const take = (file: File | undefined): void => {
    asked.value = undefined;
    if (file === undefined) return;
    run(async () => {
      const answer = await sent(file);
      if ('other' in answer) asked.value = { file, ...answer.other };
      else show(answer);
    });
  };
  const isOver = useWholePage(take);
  return (
    <section class={isOver.value ? 'drop over' : 'drop'} aria-label="Bring a list">
      <h1>Drop your list here</h1>
      <p class="soft">
        An Excel or CSV file. Rowonce finds what is missing, or invites its people, and pays for no row twice.
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
      {asked.value && <WhichList {...asked.value} onLeft={() => (asked.value = undefined)} />}
    </section>
  );
}

type Asked = OtherList['other'] & { readonly file: File };

/** Another list has the name of this file: she says which of the two it is, before anything is kept of it. */
function WhichList({ file, list, name, shared, of, likely, onLeft }: Asked & { onLeft(): void }) {
  const bring = async (as: string): Promise<void> => {
    const answer = await sent(file, as);
    if (!('other' in answer)) show(answer);
  };
  const both = `${grouped(shared)} of ${grouped(of)} ${shared === 1 ? 'is' : 'are'} in both`;
  const answers = [
    { says: 'It is a new list', as: 'new', isLikely: likely === 'new' },
    { says: 'It is the same list, edited', as: list, isLikely: likely === 'edited' },
  ];
  return (
    <Stop says={`“${name}” is here already, with other rows: ${both}.`}>
      {answers
        .toSorted((one, other) => Number(other.isLikely) - Number(one.isLikely))
        .map(({ says, as, isLikely }) => (
          <Act key={as} says={says} look={isLikely ? 'go' : undefined} does={() => bring(as)} />
        ))}
      <Button look="link" says="Do not bring it" onClick={onLeft} />
    </Stop>
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

const show = ({ id }: ListView): string => (location.href = `/lists/${id}`);

/** @param as what she has said that the file is. */
const sent = (file: File, as?: string): Promise<ListView | OtherList> =>
  ask(`/lists?${new URLSearchParams({ name: file.name, ...(as && { as }) })}`, { method: 'PUT', body: file });

async function bringSample(): Promise<void> {
  const sample = await (await fetch('/sample.csv')).blob();
  const file = new File([sample], 'Sample list.csv');
  const known = await sent(file);
  const list = 'other' in known ? await sent(file, 'new') : known;
  if ('other' in list) return;
  const [ofCompanies] = callsThat(({ finds }) => finds === 'company');
  const first = { operation: ofCompanies, account: 'sandbox-provider' };
  // What she has chosen for it the last time stays.
  if (Object.keys(list.job).length === 0) await ask(`/lists/${list.id}/job`, { method: 'PUT', body: first });
  show(list);
}
