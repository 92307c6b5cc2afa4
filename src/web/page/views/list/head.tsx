import { rowsFound, rowsPending, rowsWanted } from '../../../../core/counts.ts';
import { describedOperation } from '../../../../core/described.ts';
import { Bar, Fold } from '../../../../files/output/report/table.ts';
import { whatWords } from '../../../../files/output/summary-words.ts';
import type { BatchObject, BatchStatusObject, Download } from '../../../api.ts';
import { Act } from '../../parts/asking.tsx';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import {
  counted,
  creditWords,
  doneWords,
  duration,
  foundWords,
  grouped,
  isBegun,
  money,
  needing,
  needWords,
  notStarted,
  rowsLeft,
  spentWords,
  when,
} from '../../parts/figures.ts';
import { ask, take } from '../../session.ts';
import { SheetChoice } from './reading.tsx';
import { cellsTaken, isAnew, type OfScene, rowsMended, type Scene } from './scene.ts';

/** What the list is, how it is doing in one word, and what can be done with it as a whole. */
export function Head({ scene }: OfScene) {
  const { batch, name, isRunning } = scene;
  return (
    <>
      <header>
        <h1>{name}</h1>
        <SheetChoice scene={scene} />
        {batch && (
          <span class="soft">
            {batch.undoes === null ? whatWords(batch.operation) : 'undone'} · begun {when(batch.created_at)}
          </span>
        )}
        {batch?.sandbox && <b class="need">play money</b>}
        <span class="row state">
          <span role="status">
            <State scene={scene} />
          </span>
          {batch && isRunning && <span class="soft">{progressWords(batch)}</span>}
          {batch && <Ending scene={scene} batch={batch} />}
          {batch && !isRunning && batch.settled + batch.credits.spent > 0 && (
            <>
              <ButtonLink to={`/reports/${batch.batch}`} says="Report" />
              <Act look="go" says={downloadWords(scene)} does={() => take(batch.batch, 'output')} />
            </>
          )}
        </span>
      </header>
      {batch && !isRunning && <Came scene={scene} batch={batch} />}
      {scene.earlier.length > 0 && (
        <Fold title="Before">
          <ul>
            {scene.earlier.map((each) => (
              <li key={each.batch}>
                <a href={`/files/${each.batch}`}>{when(each.created_at)}</a>: {earlierWords(each)}
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </>
  );
}

/** A start that has a mend which was taken back is not the list of now. */
function downloadWords(scene: Scene): string {
  const what = /\.(?:xlsx|ods)$/i.test(scene.name) ? 'Download the workbook' : 'Download the list';
  return cellsTaken(scene).length > 0 ? `${what} as it was started` : what;
}

interface OfBatch {
  readonly batch: BatchStatusObject;
}

type OfBoth = OfScene & OfBatch;

function State({ scene }: OfScene) {
  const { batch, work, isRunning } = scene;
  if (isRunning && batch?.running) return <Running batch={batch} />;
  if (isRunning || work?.state === 'waiting') return <Word look="warn" says="Waiting" more="for its turn" />;
  if (batch === undefined) return null;
  if (isAnew(scene)) return <Word look="warn" says="Changed" more={notStarted(scene.list)} />;
  const { state, held_since: held, undone_by: undo } = batch;
  if (state === 'cancelled') return <Word look="soft" says="Stopped" more="for good" />;
  if (state === 'superseded') return <Word look="soft" says="Stopped" more="the list has changed since" />;
  if (held !== undefined) return <Word look="warn" says="Paused" more={`since ${when(held)}`} />;
  if (state === 'open' && batch.part_done) return <Word look="warn" says="Waiting" />;
  if (state === 'open') return <Word look="warn" says="Stopped" more={`${grouped(rowsLeft(batch))} to go`} />;
  if (undo?.finished) return <Word look="soft" says="Taken back" more={when(undo.created_at)} />;
  return needing(batch) > 0 ? <Word look="warn" says="Needs you" /> : <Word look="good" says="Done" />;
}

/** A clock without seconds would say of such a wait that it is over. */
const isSoon = (until: string): boolean => Date.parse(until) - Date.now() < 2 * 60_000;

/** A shorter wait belongs to the pace of the account, and its state would flicker. */
const MOMENT_MS = 3_000;

const waitsUntil = ({ paused_until: until }: BatchStatusObject): string | undefined =>
  until !== null && Date.parse(until) - Date.now() > MOMENT_MS ? until : undefined;

function Running({ batch }: OfBatch) {
  const until = waitsUntil(batch);
  if (until !== undefined)
    return <Word look="warn" says="Waiting" more={isSoon(until) ? 'a moment' : `until ${when(until)}`} />;
  return <Word look="good" says="Running" />;
}

/** `47 % · about 12 min`, which changes too often to be read aloud with the state; blank while it waits. */
function progressWords(batch: BatchStatusObject): string {
  const { running, seconds_left: left, trying } = batch;
  if (!running || waitsUntil(batch) !== undefined || !isBegun(batch)) return '';
  if (trying !== undefined) return `trying ${counted(trying, 'row')} first`;
  return `${doneWords(batch)}${left === null ? '' : ` · about ${duration(left)}`}`;
}

const Word = ({ look, says, more = '' }: Readonly<Record<'look' | 'says', string>> & { more?: string }) => (
  <span>
    <span class={look} aria-hidden="true">
      ●
    </span>{' '}
    <strong>{says}</strong> <span class="soft">{more}</span>
  </span>
);

/** A pause, which can go on, and the end for good, which cannot. */
function Ending({ scene: { work, isRunning }, batch }: OfBoth) {
  const body = { batch: batch.batch };
  const pause = async (): Promise<void> => {
    // A start of the page that waits for its turn would take the list up again later.
    if (work !== undefined && work.state !== 'ended') await ask(`/tasks/${work.id}/stop`, { method: 'POST' });
    if (isRunning) await ask('/pause', { body });
  };
  const end = async (): Promise<void> => {
    await pause();
    await ask('/cancel', { body });
  };
  const left = counted(rowsPending(batch), 'row');
  const others = `The other ${left} will not be asked, and this cannot go on.`;
  const kept = batch.changes
    ? 'What was changed stays.'
    : 'What was found stays yours, and is free next time.';
  const asks = `Stop for good? ${others} ${kept} A pause can go on at any time.`;
  return (
    <>
      {isRunning && <Act says="Pause" title="It goes on where it was whenever you say so." does={pause} />}
      {batch.state === 'open' && <Act says="Stop for good…" asks={asks} does={end} />}
    </>
  );
}

const findsPeople = (operation: string): boolean => describedOperation(operation)?.resultsFile === 'people';

function Came({ scene, batch }: OfBoth) {
  const { list, isPlanning, isUndoing, report, undo } = scene;
  const { words, figures } = report.value ?? {};
  const file = (what: Download, says: string) => (
    <Act look="link" says={says} title="As a file of their own" does={() => take(batch.batch, what)} />
  );
  return (
    <>
      <p role="status">
        <strong>{undo?.state === 'finished' ? takenBackWords(undo) : words?.headline}</strong> <br />
        {words?.cost} {words?.besides}
      </p>
      <p class="row">
        {(figures?.reasons.length ?? 0) > 0 && file('needs_attention', 'The rows that need you')}
        {batch.operation.split(',').some(findsPeople) && file('results', 'All people that were found')}
        {batch.undone_by && <a href={`/files/${batch.undone_by.batch}`}>What came of the undo</a>}
        {batch.changes !== undefined && batch.state !== 'open' && (
          <Button look="link" says="Undo…" onClick={() => (isUndoing.value = true)} />
        )}
        {list && !isPlanning.value && (
          <Button look="link" says="Do something else" onClick={() => (isPlanning.value = true)} />
        )}
      </p>
    </>
  );
}

const takenBackWords = (undo: BatchObject): string =>
  `${foundWords(undo)} were taken back${needing(undo) > 0 ? `; ${needWords(needing(undo))}` : ''}.`;

export const changedWords = (undo: BatchObject | undefined): string =>
  undo?.state === 'finished' ? `changed, ${grouped(rowsFound(undo.counts))} taken back` : 'changed';

function earlierWords(batch: BatchObject): string {
  const cost = batch.has_costs ? `, ${creditWords(batch.credits)}` : '';
  const found = `${grouped(rowsFound(batch.counts))} of ${counted(rowsWanted(batch), 'row')}`;
  return `${whatWords(batch.operation)}, ${found}${cost}`;
}

/** Beside the table while it runs: what it has spent, what it waits for, and what needs her already. */
export function SoFar({ scene }: OfScene) {
  const { batch } = scene;
  const attention = batch ? needing(batch) : 0;
  const wrong = attention - (batch?.counts.in_doubt ?? 0);
  return (
    <aside aria-label="So far">
      <h2>So far</h2>
      {batch && <Spent batch={batch} />}
      {batch ? <Speed batch={batch} /> : <p>It begins.</p>}
      <p class="soft">You may close this window: it goes on.</p>
      {attention > 0 && (
        <p class="need">
          <a href="?needs">{needWords(attention)}</a>.{' '}
          {wrong > rowsMended(scene) && 'Wrong cells can be corrected while it runs.'}
        </p>
      )}
    </aside>
  );
}

/** What a change does stands in the title. */
function Spent({ batch: { credits, cost, has_costs: hasCosts } }: OfBatch) {
  const { budget, spent } = credits;
  if (!hasCosts) return null;
  return (
    <>
      <p>
        <b class="big">{spentWords(credits)}</b>
        {budget !== null && ` of ${grouped(budget)}`} credits
        {cost && `, ${money(cost)}`}
      </p>
      {budget !== null && <Bar part={spent} all={budget} />}
    </>
  );
}

function Speed({ batch }: OfBatch) {
  const { requests_last_minute: requests, counts } = batch;
  const until = waitsUntil(batch);
  const said = batch.paused_asked
    ? 'The vendor asks to wait.'
    : 'Answers do not come as they should, so only one request is sent at a time.';
  if (until !== undefined) {
    const left = `in ${duration((Date.parse(until) - Date.now()) / 1000)}`;
    return <p>{`${said} It goes on by itself ${isSoon(until) ? left : when(until)}.`}</p>;
  }
  if (!isBegun(batch)) return <p>It begins.</p>;
  if (batch.open > 0 && requests === 0 && counts.matched === undefined)
    return <p class="soft">{counted(batch.open, 'question')} wait for an answer.</p>;
  return <p class="soft">{counted(requests, 'request')} in the last minute, as the account allows.</p>;
}
