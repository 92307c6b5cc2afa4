import { useEffect } from 'preact/hooks';
import type { WorkAnswer, WorkView } from '../../api.ts';
import { Loaded, RefusedNotice } from '../loaded.tsx';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { go } from '../router.ts';
import { ask, beat, Refused } from '../session.ts';
import { text } from '../text.ts';

export function WorkPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  return (
    <Loaded<WorkAnswer> path={`/tasks/${id}`} again={beat.value}>
      {({ work }) => <WorkShown work={work} />}
    </Loaded>
  );
}

/** Until its batch has begun, which has a view of its own. */
function WorkShown({ work: { id, batch, state, about, stopped, said } }: { readonly work: WorkView }) {
  const { work: words } = text;
  useEffect(() => {
    if (batch !== null) go(`/batches/${batch}`, true);
  }, [batch]);
  return (
    <section class="empty" aria-live="polite">
      <h1>{words[state]}</h1>
      {state === 'waiting' && <p>{words.waitingWhat}</p>}
      {stopped !== null && <RefusedNotice refused={new Refused(stopped)} />}
      {state === 'ended' && stopped === null && <pre>{said.slice(-3).join('\n')}</pre>}
      {state === 'ended' ? (
        <ButtonLink to={`/lists/${about}/plan`} says={words.lookAgain} look="primary" />
      ) : (
        <Button
          onClick={() => void ask(`/tasks/${id}/stop`, { method: 'POST' }).catch(() => {})}
          says={words.stop}
        />
      )}
    </section>
  );
}
