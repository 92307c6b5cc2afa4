import { useEffect } from 'preact/hooks';
import type { BatchList, BatchStatusObject, ListView, WorkList } from '../../api.ts';
import { Loaded, late } from '../parts/asking.tsx';
import { ButtonLink, Stop } from '../parts/controls.tsx';
import { fileName, grouped, isLeft } from '../parts/figures.ts';
import { ask, beat, look } from '../session.ts';
import { Funnel } from './list/funnel.tsx';
import { Head, SoFar } from './list/head.tsx';
import { type Known, type OfScene, type Scene, useScene } from './list/scene.ts';
import type { Told } from './list/stopped.tsx';
import { ListTable } from './list/table.tsx';

/** What stands beside the table, and what stops a list, is a script each. */
const Start = late(async () => (await import('./list/start.tsx')).Start);
const Ended = late(async () => (await import('./list/ended.tsx')).Ended);
const RowBeside = late(async () => (await import('./list/row.tsx')).RowBeside);
const InLine = late(async () => (await import('./list/stopped.tsx')).InLine);
const Stopped = late(async () => (await import('./list/stopped.tsx')).Stopped);
const Doubts = late(async () => (await import('./list/stopped.tsx')).Doubts);

/** One view for one list: her table, and beside it what to do, how it goes, or one of its rows. */
export const ListPage = ({ id }: { readonly id: string }) => (
  <Loaded path={`/lists/${id}`} question={(signal) => knownOfList(id, signal)} again={beat.value}>
    {(known) => <Shown {...known} />}
  </Loaded>
);

/** The same view of a file that was never brought to the page, such as one that a night has worked on. */
export const ListOfBatch = ({ id }: { readonly id: string }) => (
  <Loaded path={`/batches/${id}`} question={(signal) => knownOf(undefined, id, signal)} again={beat.value}>
    {(known) => <Shown {...known} />}
  </Loaded>
);

async function knownOfList(id: string, signal: AbortSignal): Promise<Known> {
  const how = { signal, isLook: true };
  const [list, { batches }] = await Promise.all([
    ask<ListView>(`/lists/${id}`, how),
    ask<BatchList>(`/batches?list=${id}`, how),
  ]);
  const [newest, ...earlier] = batches;
  return { ...(await knownOf(list, newest?.batch, signal)), earlier };
}

async function knownOf(
  list: ListView | undefined,
  id: string | undefined,
  signal: AbortSignal,
): Promise<Known> {
  const [batch, { work }] = await Promise.all([
    id === undefined ? undefined : look<BatchStatusObject>('status', { batch: id }, signal),
    ask<WorkList>('/tasks', { signal, isLook: true }),
  ]);
  const ids = [list?.id, id];
  const newest = work.findLast((each) => ids.includes(each.about) || ids.includes(each.batch ?? ''));
  const name = list?.name ?? fileName(batch?.input ?? '');
  return { name, list, batch, earlier: [], work: newest };
}

function Shown(known: Known) {
  const scene = useScene(known);
  const { name, batch, isRunning } = scene;
  const part = batch && isRunning ? `${grouped(batch.settled)} of ${grouped(batch.rows)} · ` : '';
  useEffect(() => {
    document.title = `${part}${name}`;
  }, [part, name]);
  return (
    <>
      <Head scene={scene} />
      <Stops scene={scene} />
      <div class="body">
        <div>
          <Funnel scene={scene} />
          <ListTable scene={scene} />
        </div>
        <Beside scene={scene} />
      </div>
    </>
  );
}

function Beside({ scene }: OfScene) {
  if (scene.opened.value !== undefined) return <RowBeside scene={scene} />;
  if (scene.isUndoing.value) return <Ended scene={scene} />;
  if (scene.isRunning) return <SoFar scene={scene} />;
  if (scene.isPlanning.value && scene.list !== undefined) return <Start scene={scene} />;
  return <Ended scene={scene} />;
}

/** Whatever stops the list or may surprise her, each in one sentence with the button that mends it. */
function Stops({ scene }: OfScene) {
  const { batch, work, isRunning } = scene;
  const stopped = stoppedOf(scene);
  return (
    <>
      {work !== undefined && work.state !== 'ended' && !batch?.running && <InLine work={work} />}
      {stopped && <Stopped key={work?.id} scene={scene} stopped={stopped} />}
      {batch && !isRunning && (batch.counts.in_doubt ?? 0) > 0 && <Doubts batch={batch} />}
      {batch?.sandbox && batch.changes === undefined && batch.settled > 0 && (
        <Stop says="These answers are invented: it is play money. To find what is real, add your account.">
          <ButtonLink to="/accounts" says="Add an account" />
        </Stop>
      )}
    </>
  );
}

/** In the words of the page's own work, else as the list stands: it was stopped in a terminal, or before. */
function stoppedOf({ batch, work, isRunning, tried }: Scene): Told | undefined {
  if (isRunning || work?.state === 'waiting') return undefined;
  const isOfBatch = work?.batch === batch?.batch || work?.batch === null;
  const isOpen = work?.batch === null || isLeft(batch);
  if (work?.stopped && isOfBatch && isOpen) return work.stopped;
  // After a try, the rest is started beside the table.
  if (!isLeft(batch) || tried !== undefined) return undefined;
  return { code: batch.budget_to_finish === undefined ? 'terminated' : 'budget' };
}
