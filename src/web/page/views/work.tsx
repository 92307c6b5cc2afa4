import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WorkAnswer } from '../../api.ts';
import { asRefused, Refusal } from '../loaded.tsx';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { go } from '../router.ts';
import { ask, Refused } from '../session.ts';
import { text } from '../text.ts';

/** How often it is asked whether the batch has begun, ms. */
const AGAIN_MS = 400;

export function Work({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  const found = useSignal<WorkAnswer | undefined>(undefined);
  const refused = useSignal<Refused | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      try {
        const answer = await ask<WorkAnswer>(`/tasks/${id}`, { signal: leaving.signal });
        found.value = answer;
        const { batch, state } = answer.work;
        if (batch !== null) go(`/batches/${batch}`, true);
        else if (state !== 'ended') timer = setTimeout(look, AGAIN_MS);
      } catch (error) {
        if (!leaving.signal.aborted) refused.value = asRefused(error);
      }
    };
    void look();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [id]);
  const { work: words } = text;
  const { work } = found.value ?? {};
  if (refused.value !== undefined) return <Refusal refused={refused.value} />;
  if (work === undefined) return <p class="loading">{text.loading}</p>;
  return (
    <section class="empty" aria-live="polite">
      <h1>{words[work.state]}</h1>
      {work.state === 'waiting' && <p>{words.waitingWhat}</p>}
      {work.stopped !== null && <Refusal refused={new Refused(work.stopped)} />}
      {work.state === 'ended' && work.stopped === null && <pre>{work.said.slice(-3).join('\n')}</pre>}
      {work.state === 'ended' ? (
        <ButtonLink to={`/lists/${work.about}/plan`} says={words.lookAgain} look="primary" />
      ) : (
        <Button
          onClick={() => void ask(`/tasks/${id}/stop`, { method: 'POST' }).catch(() => {})}
          says={words.stop}
        />
      )}
    </section>
  );
}
