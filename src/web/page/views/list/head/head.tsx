import { teamWords, whatWords } from '../../../../../files/output/summary-words.ts';
import type { BatchStatusObject } from '../../../../api.ts';
import { lazyPart } from '../../../parts/asking.tsx';
import { isStoppedAway } from '../../../parts/away.tsx';
import { ButtonLink, Popover, Title, Word } from '../../../parts/controls.tsx';
import {
  dayAndTime,
  doneWords,
  duration,
  grouped,
  isBegun,
  needing,
  rowsLeft,
} from '../../../parts/figures.ts';
import { cameAgain, isAnew, type OfScene, type Scene } from '../scene.ts';
import { plannedTeam } from '../team.ts';
import { HeaderChoice, SheetChoice } from './reading.tsx';

const ReadBar = lazyPart(async () => (await import('../../../parts/read-bar.tsx')).ReadBar, '');
const Starts = lazyPart(async () => (await import('./versions.tsx')).Starts);
const Files = lazyPart(async () => (await import('./files.tsx')).Files, '');
const Ending = lazyPart(async () => (await import('./ending.tsx')).Ending, '');
const UndoState = lazyPart(async () => (await import('./undo-state.tsx')).UndoState, '');
const ListMenu = lazyPart(async () => (await import('./menu.tsx')).ListMenu);

/** What the list is, how it is doing in one word, and what can be done with it as a whole: one line. */
export function Head({ scene }: OfScene) {
  const { batch, name, isRunning, reading } = scene;
  return (
    <Title name={name} facts={factsOf(scene)}>
      <HeaderChoice scene={scene} />
      <SheetChoice scene={scene} />
      <Versions scene={scene} />
      {reading && <ReadBar rows={reading.about} read={reading.rows} />}
      <span class="state">
        <span role="status">
          {isStoppedAway.value ? (
            <Word look="need" says="Stopped" more="Rowonce is closed" />
          ) : (
            <State scene={scene} />
          )}
        </span>
        {batch && isRunning && !isStoppedAway.value && <span class="soft">{progressWords(batch)}</span>}
      </span>
      {batch && (isRunning || batch.state === 'open') && <Ending scene={scene} batch={batch} />}
      {batch && !isRunning && batch.settled + batch.credits.spent > 0 && (
        <Files scene={scene} batch={batch} />
      )}
      {scene.list && (
        <Popover name={`More about ${name}`} says="⋯" look="quiet">
          {(close) => scene.list && <ListMenu scene={scene} list={scene.list} close={close} />}
        </Popover>
      )}
    </Title>
  );
}

/**
 * `companies · begun today 09:12 · play money`, or with which start a list is compared that came again; of a
 * team how many people and changes it has.
 */
function factsOf(scene: Scene): string | undefined {
  const { batch } = scene;
  const planned = scene.teamPlanned;
  if (planned !== undefined) return teamWords(plannedTeam(planned));
  if (batch === undefined) return undefined;
  const { undoes, operation, created_at: at, sandbox, changes } = batch;
  if (cameAgain(scene)) return `compared with ${dayAndTime(at)}`;
  const what = changes === undefined ? whatWords(operation) : teamWords(changes);
  const undone = undoes === null ? [] : ['undone'];
  const begun = scene.now === undefined ? `begun ${dayAndTime(at)}` : `as it was ${dayAndTime(at)}`;
  return [...undone, what, begun, ...(sandbox ? ['play money'] : [])].join(' · ');
}

/** Every version of the list that was started, and the way back to the one of now. */
function Versions({ scene: { earlier, batch, list, now } }: OfScene) {
  if (now !== undefined) return <ButtonLink to={`/lists/${now.id}`} look="quiet" says="The list of now" />;
  const shown = batch && list?.standing.is === 'changed' ? [batch, ...earlier] : earlier;
  if (shown.length === 0) return null;
  return (
    <Popover name="Versions of the list" says="Versions ▾" look="quiet">
      {() => <Starts of={shown} />}
    </Popover>
  );
}

interface OfBatch {
  readonly batch: BatchStatusObject;
}

function State({ scene }: OfScene) {
  const { batch, work, isRunning } = scene;
  if (isRunning && batch?.running) return <Running batch={batch} />;
  if (isRunning || work?.state === 'waiting') return <Word look="need" says="Waiting" more="for its turn" />;
  if (batch === undefined) return null;
  if (isAnew(scene)) return <Word look="need" says="Changed" more="not started" />;
  if (batch.undone_by) return <UndoState scene={scene} />;
  const { state, held_since: held } = batch;
  if (state === 'cancelled') return <Word look="none" says="Stopped" more="for good" />;
  if (state === 'superseded') return <Word look="none" says="Stopped" more="the list has changed since" />;
  if (held !== undefined) return <Word look="need" says="Paused" more={`since ${dayAndTime(held)}`} />;
  if (state === 'open' && batch.part_done) return <Word look="need" says="Part done" />;
  if (state === 'open') return <Word look="need" says="Stopped" more={`${grouped(rowsLeft(batch))} to go`} />;
  return needing(batch) > 0 ? <Word look="need" says="Needs attention" /> : <Word look="found" says="Done" />;
}

/** A clock without seconds would say of such a wait that it is over. */
export const isSoon = (until: string): boolean => Date.parse(until) - Date.now() < 2 * 60_000;

/** A shorter wait belongs to the pace of the account, and its state would flicker. */
const MOMENT_MS = 3_000;

export const waitsUntil = ({ paused_until: until }: BatchStatusObject): string | undefined =>
  until !== null && Date.parse(until) - Date.now() > MOMENT_MS ? until : undefined;

function Running({ batch }: OfBatch) {
  const until = waitsUntil(batch);
  if (until !== undefined)
    return (
      <Word look="need" says="Waiting" more={isSoon(until) ? 'a moment' : `until ${dayAndTime(until)}`} />
    );
  if (batch.trying === undefined) return <Word look="found" says="Running" />;
  return <Word look="found" says={`Trying ${grouped(batch.trying)}`} />;
}

/** `47 % · about 12 min`, which changes too often to be read aloud with the state; blank while it waits. */
function progressWords(batch: BatchStatusObject): string {
  const { running, seconds_left: secondsLeft, trying, settled } = batch;
  if (!running || waitsUntil(batch) !== undefined || !isBegun(batch)) return '';
  // Of a second try nobody knows which rows the first one has ended.
  if (trying !== undefined) return settled > trying ? '' : `${grouped(settled)} of ${grouped(trying)}`;
  return `${doneWords(batch)}${secondsLeft === null ? '' : ` · about ${duration(secondsLeft)}`}`;
}
