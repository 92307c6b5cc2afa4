import { ButtonLink } from '../../parts/controls.tsx';
import { late } from '../../parts/late.tsx';
import { Stop } from '../../parts/stop.tsx';
import type { Scene } from './scene.ts';
import type { Told } from './stopped.tsx';
import { isLeft } from './words.ts';

const InLine = late(async () => (await import('./stopped.tsx')).InLine);
const Stopped = late(async () => (await import('./stopped.tsx')).Stopped);
const Doubts = late(async () => (await import('./doubts.tsx')).Doubts);

/** Whatever stops the list or may surprise her, each in one sentence with the button that mends it. */
export function Stops({ scene }: { readonly scene: Scene }) {
  const { batch, work, isRunning } = scene;
  const stopped = stoppedOf(scene);
  return (
    <>
      {work !== undefined && work.state !== 'ended' && !batch?.running && <InLine work={work} />}
      {stopped && <Stopped key={work?.id} scene={scene} stopped={stopped} />}
      {batch && !isRunning && (batch.counts.in_doubt ?? 0) > 0 && <Doubts batch={batch} />}
      {batch?.sandbox && batch.changes === undefined && batch.settled > 0 && (
        <Stop
          says={
            <>
              These answers are <b>invented</b>: it is play money. To find what is real, add your account.
            </>
          }
        >
          <ButtonLink to="/accounts" says="Add an account" />
        </Stop>
      )}
    </>
  );
}

/**
 * Why it stopped: in the words of the page's own work, or as the list itself stands where it was stopped in
 * a terminal or before the page was started.
 */
function stoppedOf({ batch, work, isRunning, tried }: Scene): Told | undefined {
  if (isRunning || work?.state === 'waiting') return undefined;
  const isOfBatch = work?.batch === batch?.batch || work?.batch === null;
  const isOpen = work?.batch === null || isLeft(batch);
  if (work?.stopped && isOfBatch && isOpen) return work.stopped;
  // After a try, the rest is started beside the table.
  if (!isLeft(batch) || tried !== undefined) return undefined;
  return { code: batch.budget_to_finish === undefined ? 'terminated' : 'budget' };
}
