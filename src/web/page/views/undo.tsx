import { useSignal } from '@preact/signals';
import type { UndoView, WorkView } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { untilEnded, useAction } from '../parts/action.ts';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { Diff } from '../parts/diff.tsx';
import { counted, grouped } from '../parts/figures.ts';
import { PlayMoney } from '../parts/tags.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';

const words = text.undo;

/** What an undo would send, then the undo of exactly that. */
export function Undo({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  const round = useSignal(0);
  return (
    <>
      <h1>{text.undo.title}</h1>
      <p>
        <a href={`/batches/${id}`}>{text.undo.back(id)}</a>
      </p>
      <Loaded<UndoView> path={`/batches/${id}/undo`} again={round.value}>
        {(plan) => <PlannedUndo id={id} plan={plan} lookAgain={() => (round.value += 1)} />}
      </Loaded>
    </>
  );
}

interface PlannedProps {
  readonly id: string;
  readonly plan: UndoView;
  lookAgain(): void;
}

function PlannedUndo({ id, plan: shown, lookAgain }: PlannedProps) {
  const action = useAction();
  const hasEnded = useSignal(false);
  const { state, by, plan, changes, not_undone: left, sandbox } = shown;
  const sent = changes.filter(({ calls = [] }) => calls.length > 0);
  const start = (): void =>
    action.run(async () => {
      hasEnded.value = false;
      await untilEnded((await ask<WorkView>(`/batches/${id}/undo`, { body: { plan } })).id);
      hasEnded.value = true;
      lookAgain();
    });
  const canStart = state === 'begun' || (state === 'plan' && sent.length > 0);
  const isUnderWay = action.isBusy.value;
  return (
    <>
      {(isUnderWay || hasEnded.value) && (
        <div class="notice" role="status">
          {isUnderWay ? words.sending : words.ended}
        </div>
      )}
      <p aria-live="polite">
        {words.states[state]} {by !== null && <a href={`/batches/${by}`}>{words.byBatch(by)}</a>}{' '}
        {sandbox && <PlayMoney />}
      </p>
      <Diff changes={changes} />
      {left.length > 0 && <Left left={left} />}
      {action.refused.value !== undefined && (
        <>
          <RefusedNotice refused={action.refused.value} />
          <div class="actions">
            <Button onClick={lookAgain} says={words.lookAgain} />
          </div>
        </>
      )}
      {canStart && !isUnderWay && (
        <div class="actions">
          <Button
            class="danger"
            onClick={start}
            says={state === 'begun' ? words.goOn : words.send(counted(sent.length, 'change'))}
          />
          <ButtonLink to={`/batches/${id}`} says={words.leave} />
        </div>
      )}
    </>
  );
}

function Left({ left }: { readonly left: UndoView['not_undone'] }) {
  return (
    <section class="notice">
      <h2>{words.left(grouped(left.length))}</h2>
      <ul>
        {left.map(({ row, subject, reason }) => (
          <li key={`${row} ${subject}`}>
            <strong>{subject}</strong> <span class="muted">{words.row(row)}</span>
            <br />
            {reason}
          </li>
        ))}
      </ul>
    </section>
  );
}
