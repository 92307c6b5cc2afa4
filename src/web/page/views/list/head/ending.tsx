import { rowsPending } from '../../../../../core/counts.ts';
import type { BatchStatusObject } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { counted } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import type { OfScene } from '../scene.ts';

interface EndingProps extends OfScene {
  readonly batch: BatchStatusObject;
}

/** A pause, which can go on, and the end for good, which cannot. */
export function Ending({ scene: { work, isRunning }, batch }: EndingProps) {
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
  const pendingRows = counted(rowsPending(batch), 'row');
  const others = `The other ${pendingRows} will not be asked, and this cannot go on.`;
  const keptWords = batch.changes
    ? 'What was changed stays.'
    : 'What was found stays yours, and is free next time.';
  const asks = `Stop for good? ${others} ${keptWords} A pause can go on at any time.`;
  return (
    <>
      {batch.state === 'open' && (
        <Act look="quiet" says="Stop for good…" yes="Stop for good" asks={asks} does={end} />
      )}
      {isRunning && <Act says="Pause" title="You can continue it at any time." does={pause} />}
    </>
  );
}
