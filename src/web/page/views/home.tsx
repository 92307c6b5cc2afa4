import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { callsThat, describedOperation } from '../../../core/described.ts';
import { atMost, capital } from '../../../core/plain-text.ts';
import { whatWords } from '../../../files/output/summary-words.ts';
import { teamDoneWords } from '../../../files/output/team-done-words.ts';
import type { BatchList, ListedBatch, Lists, ListView } from '../../api.ts';
import { arriving } from '../parts/arriving.ts';
import { Act, Loaded } from '../parts/asking.tsx';
import { AskedWhich, showList, useBringing, useDrop } from '../parts/bring-here.tsx';
import { bringFile } from '../parts/bringing.ts';
import { Button, ButtonLink, Label, Popover, Title } from '../parts/controls.tsx';
import {
  counted,
  dayAndMonth,
  dayAndTime,
  doneShare,
  foundWords,
  grouped,
  money,
  needing,
  needWords,
  rowsLeft,
} from '../parts/figures.ts';
import { ask, beat, query } from '../session.ts';
import { OnItsWay } from './arriving.tsx';

export function Home() {
  const page = Number(query.value.get('page') ?? 1);
  const isArriving = isOnItsWay();
  return (
    <Loaded<Lists> path="/lists" again={beat.value} view="Lists">
      {({ lists, endings }) => (
        <>
          {!isArriving && <Title name="Lists" />}
          <div class={isArriving ? 'list' : 'view stack'} tabIndex={-1}>
            <Bring endings={endings} />
            {!isArriving && (
              <Loaded<BatchList> path={`/batches?newest=true&page=${page}`} again={beat.value}>
                {(found) => <AllLists lists={lists} page={page} {...found} />}
              </Loaded>
            )}
          </div>
        </>
      )}
    </Loaded>
  );
}

/** Also in the moment between its last byte and its own view. */
const isOnItsWay = (): boolean => arriving.value !== undefined && !arriving.value.isShown;

/** A list as it was brought, as it was worked on, or both. */
interface Line {
  readonly list: ListView | undefined;
  readonly batch: ListedBatch | undefined;
}

const timeOf = ({ list, batch }: Line): string =>
  [list?.at ?? '', batch?.created_at ?? ''].toSorted().at(-1) ?? '';

/** Each line reads as a sentence by itself, so that these are for the eye. */
const HEADS = ['List', 'What', 'Result', 'Cost', 'When', 'State'];

interface AllListsProps extends Pick<Lists, 'lists'>, BatchList {
  readonly page: number;
}

function AllLists({ lists, page, ...found }: AllListsProps) {
  const pages = Math.ceil(found.total / found.per_page);
  const lines = linesOf(lists, found, page);
  if (lines.length === 0)
    return <p class="soft">Your lists will stand here, with what was found and what it cost.</p>;
  return (
    <section aria-label="Your lists">
      <ul class="paper rows lists">
        <li class="soft" aria-hidden="true">
          {HEADS.map((head) => (
            <small key={head}>{head}</small>
          ))}
        </li>
        {lines.map((line) => (
          <OneList {...line} key={line.list?.id ?? line.batch?.batch} />
        ))}
      </ul>
      {pages > 1 && (
        <nav class="bar" aria-label="Older and newer lists">
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

/**
 * Lists that were never started stand on the first page, which has what is newest. Lists and batches are two
 * answers: a batch of a list that only one of them has was removed, or brought, between the two.
 */
function linesOf(lists: readonly ListView[], { batches, total, per_page }: BatchList, page: number): Line[] {
  const oldest = total > per_page ? (batches.at(-1)?.created_at ?? '') : '';
  const unstarted = lists.filter(
    ({ id, at }) => page === 1 && at > oldest && !batches.some(({ list }) => list === id),
  );
  const started = batches
    .map((batch) => ({ list: lists.find(({ id }) => id === batch.list), batch }))
    .filter(({ list, batch }) => list !== undefined || batch.list === null);
  const lines = [...unstarted.map((list) => ({ list, batch: undefined })), ...started];
  return lines.toSorted((one, other) => timeOf(other).localeCompare(timeOf(one)));
}

/** One line, which leads to the list; on a telephone a card. */
function OneList({ list, batch }: Line) {
  const at = timeOf({ list, batch });
  const name = list?.name ?? batch?.input;
  return (
    <li>
      <a href={list === undefined ? `/files/${batch?.batch}` : `/lists/${list.id}`}>
        <b>{name}</b>
      </a>
      <span class="soft">{batch && whatOf(batch)}</span>
      <span>{batch && foundOf(batch)}</span>
      <span class="num">{batch && costOf(batch)}</span>
      <time class="soft" dateTime={at}>
        {dayAndTime(at)}
      </time>
      <State list={list} batch={batch} />
      {(list || batch?.state !== 'open') && (
        <Act
          look="quiet"
          says="✕"
          aria-label={`Remove ${name}`}
          asks={`Remove “${name}” from this page? What was found for it stays known.`}
          yes="Remove"
          does={() => ask(list ? `/lists/${list.id}` : `/batches/${batch?.batch}/list`, { method: 'DELETE' })}
        />
      )}
    </li>
  );
}

const whatOf = ({ operation, undoes }: ListedBatch): string =>
  undoes === null ? whatWords(operation) : `taken back: ${whatWords(operation)}`;

/** `269 of 300 found`; rows, where several things are looked for; of a team what was done. */
function foundOf(batch: ListedBatch): string {
  if (batch.changes) return teamDoneWords(batch.changes);
  const what = describedOperation(batch.operation)?.vendor === 'service' ? 'changes' : 'found';
  const rows = batch.operation.includes(',') ? 'rows ' : '';
  return `${foundWords(batch)} ${rows}${what}${batch.running ? ' so far' : ''}`;
}

/**
 * What the list has cost so far, by all its starts: in money where it is known. Credits of several accounts
 * are not added; the list and its report say whose they are.
 */
function costOf({ has_costs: hasCosts, in_all: all, sandbox }: ListedBatch) {
  if (!hasCosts) return 'free';
  const { credits, accounts = [credits], cost } = all;
  const paid = accounts.map(({ spent }) => grouped(spent)).join(' + ');
  const inCredits = `${paid} ${paid === '1' ? 'credit' : 'credits'}`;
  const says = atMost(credits.spent, !credits.exact, money(cost) || inCredits);
  return sandbox ? [says, ' ', <small key="play">play money</small>] : says;
}

function State({ list, batch }: Line) {
  const [needs, says] = stateOf(list, batch);
  return needs ? <b class="need">▲ {says}</b> : <span class="soft">{says}</span>;
}

/** @returns whether she is waited for, and the words for it. */
function stateOf(list: ListView | undefined, batch: ListedBatch | undefined): readonly [boolean, string] {
  if (batch === undefined) return [false, capital(notStarted(list))];
  if (list?.standing.is === 'changed') return [false, `Changed, ${notStarted(list)}`];
  const { state, running, held_since: held } = batch;
  const needs = needing(batch);
  if (running) return [false, `Running, ${doneShare(batch)}`];
  if (state === 'cancelled') return [false, 'Stopped for good'];
  if (held !== undefined) return [false, 'Paused'];
  const stoppedWord = batch.undoes === null ? 'Stopped' : 'Undo stopped';
  if (state === 'open') return [true, `${stoppedWord}, ${counted(rowsLeft(batch), 'row')} left`];
  if (needs > 0) return [true, needWords(needs)];
  if (batch.undoes !== null) return [false, 'Taken back'];
  return [false, 'Done'];
}

/** How a list comes to the page: it is dropped, chosen or pasted, or is the sample. */
function Bring({ endings }: Pick<Lists, 'endings'>) {
  const input = useRef<HTMLInputElement>(null);
  const bringing = useBringing();
  const { isBusy, run, take } = bringing;
  const isOver = useDrop(take);
  usePaste(take);
  if (arriving.value !== undefined && isOnItsWay()) return <OnItsWay file={arriving.value} />;
  return (
    <section class={isOver.value ? 'paper drop over' : 'paper drop'} aria-label="Bring a list">
      <div>
        <h2 class="big">Drop a list here</h2>
        <p class="soft">Excel or CSV. Nothing is sent before you see what it costs or changes.</p>
      </div>
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
      <div class="bar">
        <Button
          look="quiet"
          disabled={isBusy.value}
          onClick={() => run(bringSample)}
          says="Try the sample list"
        />
        <Popover name="Paste a table" says="Paste a table">
          {/* What is pasted anywhere on the page is taken; here is a place for it, also for what is typed. */}
          {() => <Typed take={take} />}
        </Popover>
        <Button
          look="go"
          disabled={isBusy.value}
          onClick={() => input.current?.click()}
          says="Choose a file"
        />
      </div>
      <AskedWhich of={bringing} />
    </section>
  );
}

/** Cells that are pasted or typed, with a tab or a comma between them, and the names of the columns first. */
function Typed({ take }: { take(file: File): void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const isNone = useSignal(false);
  const send = (): void => {
    const table = tableOf(field.current?.value ?? '');
    isNone.value = table === undefined;
    if (table !== undefined) take(table);
  };
  return (
    <div class="stack">
      <Label says="The cells that you have copied, with the names of their columns">
        <textarea
          ref={field}
          rows={8}
          placeholder="Paste them here"
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
          }}
        />
      </Label>
      <div class="bar">
        <Button says="Bring it" onClick={send} />
        {isNone.value && <span class="need">A table has a row of names and one below it.</span>}
      </div>
    </div>
  );
}

/** Takes a table that is pasted anywhere on the page. */
function usePaste(take: (file: File | undefined) => void): void {
  useLayoutEffect(() => {
    const leaving = new AbortController();
    const paste = ({ clipboardData }: ClipboardEvent): void => take(pastedIn(clipboardData));
    document.addEventListener('paste', paste, leaving);
    return () => leaving.abort();
  }, []);
}

/** Spreadsheets put cells on the clipboard as lines with tabs between them. */
function pastedIn(clipboard: DataTransfer | null): File | undefined {
  return tableOf(clipboard?.getData('text/plain') ?? '');
}

/** @returns undefined for what is no table, such as a word. */
function tableOf(cells: string): File | undefined {
  if (!/[\t\n]/.test(cells.trim())) return undefined;
  // A second table of the day is another list, so its name has the time.
  const now = new Date();
  const time = now.toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const ending = cells.includes('\t') ? 'tsv' : 'csv';
  return new File([cells], `Pasted ${dayAndMonth(now)}, ${time.replace(':', '.')}.${ending}`);
}

async function bringSample(): Promise<void> {
  const sample = await (await fetch('/sample.csv')).blob();
  const file = new File([sample], 'Sample list.csv');
  const known = await bringFile(file);
  const list = known !== undefined && 'other' in known ? await bringFile(file, 'new') : known;
  if (list === undefined || 'other' in list) return;
  const [ofCompanies] = callsThat(({ finds }) => finds === 'company');
  const first = { operation: ofCompanies, account: 'sandbox-provider' };
  // What she has chosen for it the last time stays.
  if (Object.keys(list.job).length === 0) await ask(`/lists/${list.id}/job`, { method: 'PUT', body: first });
  showList(list);
}

/** `not started: 1 new, 2 changed, 297 as before`, of a list that was brought again. */
function notStarted({ edited }: Partial<ListView> = {}): string {
  if (edited === undefined) return 'not started';
  const { added, changed, gone, same } = edited;
  const differences = `${grouped(added)} new, ${grouped(changed)} changed, ${grouped(gone)} gone`;
  return `not started: ${differences}, ${grouped(same)} as before`;
}
