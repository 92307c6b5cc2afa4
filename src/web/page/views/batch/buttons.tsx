import { useSignal } from '@preact/signals';
import type { BatchDetail, WorkView } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { ask } from '../../session.ts';
import { text } from '../../text.ts';

const words = text.batch;

type BatchAction = 'pause' | 'resume' | 'cancel' | 'continue';

export interface AtWork {
  readonly batch: BatchDetail;
  readonly running: boolean;
  readonly works: readonly WorkView[];
}

export function BatchButtons({ batch, running, works }: AtWork) {
  const asking = useSignal<BatchAction | undefined>(undefined);
  const action = useAction();
  if (batch.state !== 'open') return null;
  const going = works.find(({ state }) => state !== 'ended');
  const act = (what: BatchAction): void => {
    asking.value = what;
    action.run(async () => {
      const body = { batch: batch.batch };
      // Only a batch on which nobody works is cancelled, so its run is stopped first.
      if (what === 'cancel' && running) await ask('/pause', { body });
      if (what === 'continue') await ask(`/batches/${batch.batch}/continue`, { method: 'POST' });
      else await ask(`/${what}`, { body });
    });
  };
  const doing = action.isBusy.value ? asking.value : undefined;
  const isBusy = action.isBusy.value || (going !== undefined && going.kind !== 'run');
  const goOn =
    going?.state === 'waiting' ? words.inLine : batch.held_since === undefined ? words.goOn : words.resumeNow;
  return (
    <>
      <div class="actions">
        {running ? (
          <Button
            onClick={() => act('pause')}
            disabled={isBusy}
            says={doing === 'pause' ? words.pausing : words.pause}
          />
        ) : (
          <>
            <Button
              class="primary"
              onClick={() => act('continue')}
              disabled={isBusy || going !== undefined || batch.next === null}
              says={goOn}
            />
            <Button
              onClick={() => act(batch.held_since === undefined ? 'pause' : 'resume')}
              disabled={isBusy}
              says={batch.held_since === undefined ? words.hold : words.unhold}
            />
          </>
        )}
        <Button
          class="danger"
          onClick={() => confirm(words.cancelSure) && act('cancel')}
          disabled={isBusy}
          says={doing === 'cancel' ? words.cancelling : words.cancel}
        />
      </div>
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}
