import { useSignal } from '@preact/signals';
import type { BatchList, BatchObject, BatchStatusObject } from '../../../api.ts';
import { Loaded, RefusedNotice } from '../../loaded.tsx';
import { take, useAction } from '../../parts/action.ts';
import { Button, ButtonLink } from '../../parts/controls.tsx';
import {
  allRows,
  counted,
  creditWords,
  dateAndTime,
  duration,
  foundIn,
  grouped,
  needing,
  percent,
} from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask } from '../../session.ts';
import { SheetChoice } from './reading.tsx';
import type { Scene } from './scene.ts';
import { aboutWords, clock, rowsLeft, whatWords } from './words.ts';

/** What the list is, how it is doing in one word, and what can be done with it as a whole. */
export function Head({ scene }: { readonly scene: Scene }) {
  const { batch, name, isRunning } = scene;
  const isStopping = useSignal(false);
  return (
    <>
      <div class="title">
        <h1>{name}</h1>
        <SheetChoice scene={scene} />
        {batch && (
          <span class="soft">
            {aboutWords(batch)} · begun {dateAndTime(batch.created_at)}
          </span>
        )}
        {batch?.sandbox && <b class="need">play money</b>}
        <span class="state">
          <State scene={scene} />
          {isRunning && batch && <Pause batch={batch} />}
          {batch?.state === 'open' && (
            <Button says="Stop for good…" onClick={() => (isStopping.value = !isStopping.value)} />
          )}
          {batch && !isRunning && <Taking scene={scene} batch={batch} />}
        </span>
      </div>
      {batch?.state === 'open' && isStopping.value && (
        <ForGood batch={batch} onOver={() => (isStopping.value = false)} />
      )}
      {batch && !isRunning && <Came scene={scene} batch={batch} />}
      {scene.list && batch && <Before list={scene.list.id} batch={batch} />}
    </>
  );
}

// ------------------------------------------------------------------------------------------------ one word

interface Word {
  readonly says: string;
  readonly look?: 'warn' | 'off';
  readonly more?: string;
}

function State({ scene }: { readonly scene: Scene }) {
  const word = wordOf(scene);
  if (word === undefined) return null;
  return (
    <span>
      <span class={`dot ${word.look ?? ''}`} /> <strong>{word.says}</strong>
      {word.more && <span class="soft"> {word.more}</span>}
    </span>
  );
}

function wordOf({ batch, work, isRunning }: Scene): Word | undefined {
  if (isRunning && batch?.running) return runningWord(batch);
  if (isRunning || work?.state === 'waiting') return { says: 'Waiting', look: 'warn', more: 'for its turn' };
  if (batch === undefined) return undefined;
  const { state, held_since: held } = batch;
  if (state === 'cancelled') return { says: 'Stopped', look: 'off', more: 'for good' };
  if (state === 'superseded') return { says: 'Stopped', look: 'off', more: 'the list has changed since' };
  if (held !== undefined) return { says: 'Paused', look: 'warn', more: `since ${clock(held)}` };
  if (state === 'open') return { says: 'Stopped', look: 'warn', more: `${grouped(rowsLeft(batch))} to go` };
  if (needing(batch) > 0) return { says: 'Needs you', look: 'warn' };
  return { says: 'Done' };
}

function runningWord(batch: BatchStatusObject): Word {
  const { settled, seconds_left: left, paused_until: until } = batch;
  if (until !== null) return { says: 'Waiting', look: 'warn', more: `until ${clock(until)}` };
  const soon = left === null ? '' : ` · about ${duration(left)}`;
  return { says: 'Running', more: `${percent(settled, allRows(batch))}${soon}` };
}

// ------------------------------------------------------------------------------------------ pause, and end

interface OfBatch {
  readonly batch: BatchStatusObject;
}

function Pause({ batch }: OfBatch) {
  const action = useAction();
  const pause = (): void => action.run(() => ask('/pause', { body: { batch: batch.batch } }));
  return (
    <>
      <Button
        says={action.isBusy.value ? 'Pausing…' : 'Pause'}
        title="Nothing new is asked; it goes on where it was whenever you say so."
        disabled={action.isBusy.value}
        onClick={pause}
      />
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

function ForGood({ batch, onOver }: OfBatch & { readonly onOver: () => void }) {
  const action = useAction();
  const end = (): void =>
    action.run(async () => {
      const body = { batch: batch.batch };
      // Nobody may work on what is ended.
      if (batch.running) await ask('/pause', { body });
      await ask('/cancel', { body });
      onOver();
    });
  const kept =
    batch.changes === undefined
      ? 'What was found stays yours, and is free next time'
      : 'What was changed stays';
  return (
    <Stop
      says={`Stop for good? The other ${counted(rowsLeft(batch), 'row')} will not be asked, and this cannot go on. ${kept}. A pause can go on at any time.`}
      action={action}
    >
      <Button look="danger" says="Stop for good" disabled={action.isBusy.value} onClick={end} />
      <Button says="Keep it" onClick={onOver} />
    </Stop>
  );
}

// ---------------------------------------------------------------------------------------------- what came

interface OfEnded extends OfBatch {
  readonly scene: Scene;
}

function Taking({ scene, batch }: OfEnded) {
  const action = useAction();
  if (batch.settled === 0) return null;
  return (
    <>
      <ButtonLink to={`/reports/${batch.batch}`} says="Report" />
      <Button
        look="go"
        says={/\.(?:xlsx|ods)$/i.test(scene.name) ? 'Download the workbook' : 'Download the list'}
        disabled={action.isBusy.value}
        onClick={() => action.run(() => take(batch.batch, 'output'))}
      />
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

/** What came of it and what it cost, and what else can be done with it. */
function Came({ scene, batch }: OfEnded) {
  const { list, isPlanning, isUndoing, report } = scene;
  const action = useAction();
  const { headline = '', cost = '', besides = '' } = report.value?.words ?? {};
  const hasRows = (report.value?.figures.attention ?? 0) > 0;
  const isOfTeam = batch.changes !== undefined;
  return (
    <>
      <p class="sentence" role="status">
        <strong>{headline}</strong> <br />
        {cost} {besides}
      </p>
      <p class="sentence row">
        {hasRows && (
          <Button
            look="link"
            says="The rows that need you"
            title="As a file of their own"
            disabled={action.isBusy.value}
            onClick={() => action.run(() => take(batch.batch, 'needs_attention'))}
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
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

/** What was done earlier with the same list. */
function Before({ list, batch }: OfBatch & { readonly list: string }) {
  return (
    <Loaded<BatchList> path={`/batches?list=${list}`} again={batch.batch}>
      {({ batches }) =>
        batches.length < 2 ? null : (
          <details class="sentence">
            <summary>Before</summary>
            <ul>
              {batches.slice(1).map((each) => (
                <li key={each.batch}>
                  <a href={`/files/${each.batch}`}>{dateAndTime(each.created_at)}</a>: {earlierWords(each)}
                </li>
              ))}
            </ul>
          </details>
        )
      }
    </Loaded>
  );
}

function earlierWords({ operation, rows, counts, credits, has_costs: hasCosts }: BatchObject): string {
  const cost = hasCosts ? `, ${creditWords(credits)}` : '';
  return `${whatWords(operation)}, ${grouped(foundIn(counts))} of ${counted(rows, 'row')}${cost}`;
}
