import { useEffect } from 'preact/hooks';
import type { BatchList, BatchStatusObject, ListView, WorkList } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { fileName, grouped } from '../parts/figures.ts';
import { late } from '../parts/late.tsx';
import { ask, beat, look } from '../session.ts';
import { Funnel } from './list/funnel.tsx';
import { Head } from './list/head.tsx';
import { type Known, type Scene, useScene } from './list/scene.ts';
import { SoFar } from './list/so-far.tsx';
import { Stops } from './list/stops.tsx';
import { ListTable } from './list/table.tsx';

/** What stands beside the table is a script each. */
const Start = late(async () => (await import('./list/start.tsx')).Start);
const Ended = late(async () => (await import('./list/ended.tsx')).Ended);
const RowBeside = late(async () => (await import('./list/row.tsx')).RowBeside);
const Undo = late(async () => (await import('./list/undo.tsx')).Undo);

/** One view for one list: her table, and beside it what to do, how it goes, or one of its rows. */
export const ListPage = ({ id }: OfId) => (
  <Loaded path={`/lists/${id}`} question={(signal) => knownOfList(id, signal)} again={beat.value}>
    {(known) => <Shown {...known} />}
  </Loaded>
);

/** The same view of a file that was never brought to the page, such as one that a night has worked on. */
export const ListOfBatch = ({ id }: OfId) => (
  <Loaded path={`/batches/${id}`} question={(signal) => known(undefined, id, signal)} again={beat.value}>
    {(of) => <Shown {...of} />}
  </Loaded>
);

interface OfId {
  readonly id: string;
}

async function knownOfList(id: string, signal: AbortSignal): Promise<Known> {
  const how = { signal, isLook: true };
  const [list, { batches }] = await Promise.all([
    ask<ListView>(`/lists/${id}`, how),
    ask<BatchList>(`/batches?list=${id}`, how),
  ]);
  const [newest, ...earlier] = batches;
  return { ...(await known(list, newest?.batch, signal)), earlier };
}

async function known(
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
  useTitle(scene);
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

function Beside({ scene }: { readonly scene: Scene }) {
  if (scene.opened.value !== undefined) return <RowBeside scene={scene} />;
  if (scene.isUndoing.value) return <Undo scene={scene} />;
  if (scene.isRunning) return <SoFar scene={scene} />;
  if (scene.isPlanning.value && scene.list !== undefined) return <Start scene={scene} />;
  return <Ended scene={scene} />;
}

/** The tab counts while the list is worked on. */
function useTitle({ name, batch, isRunning }: Scene): void {
  const part =
    batch === undefined || !isRunning ? '' : `${grouped(batch.settled)} of ${grouped(batch.rows)} · `;
  useEffect(() => {
    document.title = `${part}${name}`;
  }, [part, name]);
}
