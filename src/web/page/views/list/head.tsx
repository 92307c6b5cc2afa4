import { whatWords } from '../../../../files/output/summary-words.ts';
import type { BatchObject, BatchStatusObject } from '../../../api.ts';
import { Act } from '../../parts/act.tsx';
import { take } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import {
  allRows,
  counted,
  creditWords,
  duration,
  foundIn,
  grouped,
  needing,
  percent,
  when,
} from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { SheetChoice } from './above.tsx';
import type { OfScene, Scene } from './scene.ts';
import { aboutWords, isBegun, rowsLeft } from './words.ts';

/** What the list is, how it is doing in one word, and what can be done with it as a whole. */
export function Head({ scene }: OfScene) {
  const { batch, name, isRunning } = scene;
  const pause = async (id: string): Promise<void> => {
    await letGo(scene);
    await ask('/pause', { body: { batch: id } });
  };
  return (
    <>
      <header>
        <h1>{name}</h1>
        <SheetChoice scene={scene} />
        {batch && (
          <span class="soft">
            {aboutWords(batch)} · begun {when(batch.created_at)}
          </span>
        )}
        {batch?.sandbox && <b class="need">play money</b>}
        <span class="row state">
          <State scene={scene} />
          {isRunning && batch && (
            <Act
              says="Pause"
              title="Nothing new is asked; it goes on where it was whenever you say so."
              does={() => pause(batch.batch)}
            />
          )}
          {batch?.state === 'open' && <ForGood scene={scene} batch={batch} />}
          {batch && !isRunning && <Taking scene={scene} batch={batch} />}
        </span>
      </header>
      {batch && !isRunning && <Came scene={scene} batch={batch} />}
      {scene.earlier.length > 0 && <Before scene={scene} />}
    </>
  );
}

// ------------------------------------------------------------------------------------------------ one word

interface Word {
  readonly says: string;
  readonly look: 'good' | 'warn' | 'soft';
  readonly more?: string;
}

function State({ scene }: OfScene) {
  const word = wordOf(scene);
  if (word === undefined) return null;
  return (
    <span>
      <span class={word.look} aria-hidden="true">
        ●
      </span>{' '}
      <strong>{word.says}</strong>
      {word.more && <span class="soft"> {word.more}</span>}
    </span>
  );
}

function wordOf({ batch, work, isRunning }: Scene): Word | undefined {
  if (isRunning && batch?.running) return runningWord(batch);
  if (isRunning || work?.state === 'waiting') return { says: 'Waiting', look: 'warn', more: 'for its turn' };
  if (batch === undefined) return undefined;
  const { state, held_since: held } = batch;
  if (state === 'cancelled') return { says: 'Stopped', look: 'soft', more: 'for good' };
  if (state === 'superseded') return { says: 'Stopped', look: 'soft', more: 'the list has changed since' };
  if (held !== undefined) return { says: 'Paused', look: 'warn', more: `since ${when(held)}` };
  if (state === 'open') return { says: 'Stopped', look: 'warn', more: `${grouped(rowsLeft(batch))} to go` };
  if (needing(batch) > 0) return { says: 'Needs you', look: 'warn' };
  return { says: 'Done', look: 'good' };
}

function runningWord(batch: BatchStatusObject): Word {
  const { settled, seconds_left: left, paused_until: until } = batch;
  if (until !== null) return { says: 'Waiting', look: 'warn', more: `until ${when(until)}` };
  if (!isBegun(batch)) return { says: 'Running', look: 'good' };
  const soon = left === null ? '' : ` · about ${duration(left)}`;
  return { says: 'Running', look: 'good', more: `${percent(settled, allRows(batch))}${soon}` };
}

// ------------------------------------------------------------------------------------------------- the end

interface OfBatch {
  readonly batch: BatchStatusObject;
}

type OfBoth = OfScene & OfBatch;

/** Ends what the page has started: a start that waits for its turn would take the list up again later. */
async function letGo({ work }: Scene): Promise<void> {
  if (work !== undefined && work.state !== 'ended') await ask(`/tasks/${work.id}/stop`, { method: 'POST' });
}

function ForGood({ scene, batch }: OfBoth) {
  const end = async (): Promise<void> => {
    const body = { batch: batch.batch };
    await letGo(scene);
    // Nobody may work on what is ended.
    if (batch.running) await ask('/pause', { body });
    await ask('/cancel', { body });
  };
  const others = `The other ${counted(rowsLeft(batch), 'row')} will not be asked, and this cannot go on.`;
  const kept =
    batch.changes === undefined
      ? 'What was found stays yours, and is free next time.'
      : 'What was changed stays.';
  const asks = `Stop for good? ${others} ${kept} A pause can go on at any time.`;
  return <Act says="Stop for good…" asks={asks} does={end} />;
}

// ---------------------------------------------------------------------------------------------- what came

function Taking({ scene, batch }: OfBoth) {
  if (batch.settled === 0) return null;
  return (
    <>
      <ButtonLink to={`/reports/${batch.batch}`} says="Report" />
      <Act
        look="go"
        says={/\.(?:xlsx|ods)$/i.test(scene.name) ? 'Download the workbook' : 'Download the list'}
        does={() => take(batch.batch, 'output')}
      />
    </>
  );
}

/** What came of it and what it cost, and what else can be done with it. */
function Came({ scene, batch }: OfBoth) {
  const { list, isPlanning, isUndoing, report } = scene;
  const { words, figures } = report.value ?? {};
  const isOfTeam = batch.changes !== undefined;
  return (
    <>
      <p role="status">
        <strong>{words?.headline}</strong> <br />
        {words?.cost} {words?.besides} {words?.cost && inAllWords(scene.earlier, batch)}
      </p>
      <p class="row">
        {figures !== undefined && figures.attention > 0 && (
          <Act
            look="link"
            says="The rows that need you"
            title="As a file of their own"
            does={() => take(batch.batch, 'needs_attention')}
          />
        )}
        {batch.operation.includes('search-people') && (
          <Act
            look="link"
            says="All people that were found"
            title="As a file of their own"
            does={() => take(batch.batch, 'results')}
          />
        )}
        {isOfTeam && batch.state !== 'open' && (
          <Button look="link" says="Undo…" onClick={() => (isUndoing.value = true)} />
        )}
        {list && !isPlanning.value && (
          <Button
            look="link"
            says="Do something else with this list"
            onClick={() => (isPlanning.value = true)}
          />
        )}
      </p>
    </>
  );
}

/** What all starts have cost where an earlier one has cost something, too. */
function inAllWords([before]: Scene['earlier'], { credits }: BatchObject): string {
  if (before === undefined || before.list_credits.spent <= credits.spent) return '';
  return `In all, this list has cost ${creditWords(before.list_credits)}.`;
}

/** What was done earlier with the same list. */
const Before = ({ scene: { earlier } }: OfScene) => (
  <details>
    <summary>Before</summary>
    <ul>
      {earlier.map((each) => (
        <li key={each.batch}>
          <a href={`/files/${each.batch}`}>{when(each.created_at)}</a>: {earlierWords(each)}
        </li>
      ))}
    </ul>
  </details>
);

function earlierWords({ operation, rows, counts, credits, has_costs: hasCosts }: BatchObject): string {
  const cost = hasCosts ? `, ${creditWords(credits)}` : '';
  return `${whatWords(operation)}, ${grouped(foundIn(counts))} of ${counted(rows, 'row')}${cost}`;
}
