import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { UndoView, WorkList, WorkView } from '../../api.ts';
import { Loaded, Refusal } from '../loaded.tsx';
import { useAction } from '../parts/action.ts';
import { Button, ButtonLink } from '../parts/controls.tsx';
import { counted, grouped } from '../parts/figures.ts';
import { Table } from '../parts/table.tsx';
import { PlayMoney } from '../parts/tags.tsx';
import { Told } from '../parts/told.tsx';
import { ask, Refused } from '../session.ts';
import { text, wordOf } from '../text.ts';

const words = text.undo;

/** How often it is asked whether the undo has ended, ms. */
const AGAIN_MS = 700;

/** What an undo would send, then the undo of exactly that. */
export function Undo({ params: { id = '' } }: { readonly params: Readonly<Record<string, string>> }) {
  const started = useSignal<WorkView | undefined>(undefined);
  const round = useSignal(0);
  return (
    <>
      <h1>{text.undo.title}</h1>
      <p>
        <a href={`/batches/${id}`}>{text.undo.back(id)}</a>
      </p>
      {started.value !== undefined && <Progress work={started} whenOver={() => (round.value += 1)} />}
      <Loaded<UndoView> path={`/batches/${id}/undo`} again={round.value}>
        {(plan) => (
          <Planned
            id={id}
            plan={plan}
            isUnderWay={started.value !== undefined && started.value.state !== 'ended'}
            lookAgain={() => (round.value += 1)}
            onStart={(work) => (started.value = work)}
          />
        )}
      </Loaded>
    </>
  );
}

interface PlannedProps {
  readonly id: string;
  readonly plan: UndoView;
  readonly isUnderWay: boolean;
  lookAgain(): void;
  onStart(work: WorkView): void;
}

function Planned({ id, plan: shown, isUnderWay, lookAgain, onStart }: PlannedProps) {
  const action = useAction();
  const { state, by, plan, changes, not_undone: left, sandbox } = shown;
  const sent = changes.filter(({ action }) => action !== 'unchanged' && action in words.actions);
  const start = (): void =>
    action.run(async () => {
      onStart(await ask<WorkView>(`/batches/${id}/undo`, { body: { plan } }));
    });
  const canStart = state === 'begun' || (state === 'plan' && sent.length > 0);
  return (
    <>
      <p aria-live="polite">
        {words.states[state]} {by !== null && <a href={`/batches/${by}`}>{words.byBatch(by)}</a>}{' '}
        {sandbox && <PlayMoney />}
      </p>
      {changes.length > 0 && <Changes changes={changes} />}
      {left.length > 0 && <Left left={left} />}
      {action.refused.value !== undefined && (
        <>
          <Refusal refused={action.refused.value} />
          <div class="actions">
            <Button onClick={lookAgain} says={words.lookAgain} />
          </div>
        </>
      )}
      {canStart && !isUnderWay && (
        <div class="actions">
          <Button
            class="danger"
            disabled={action.isBusy.value}
            onClick={start}
            says={state === 'begun' ? words.goOn : words.send(counted(sent.length, 'change'))}
          />
          <ButtonLink to={`/batches/${id}`} says={words.leave} />
        </div>
      )}
    </>
  );
}

const TONES: Readonly<Record<string, string>> = { invite: 'good', change_role: 'warn', remove: 'bad' };

/** Nobody reads more lines; the command line has all of them. */
const LINES_SHOWN = 500;

function Changes({ changes }: { readonly changes: UndoView['changes'] }) {
  return (
    <Table
      name={words.title}
      caption={counted(changes.length, 'person', 'people')}
      columns={[words.what, words.whom, words.where, words.role]}
      more={changes.length > LINES_SHOWN ? words.more(grouped(LINES_SHOWN)) : undefined}
    >
      {changes.slice(0, LINES_SHOWN).map(({ row, action, email, project, from, to, reason }) => (
        <tr key={`${row} ${action}`}>
          <td>
            <span class={`tag ${TONES[action] ?? ''}`}>{wordOf(words.actions, action)}</span>
          </td>
          <td>
            <span class="cut" title={email ?? ''}>
              {email}
            </span>
          </td>
          <td>{project}</td>
          <td class="nowrap">
            {[from, to].filter((role) => role !== null).join(' → ')}{' '}
            {reason !== undefined && (
              <span class="muted">
                <Told>{reason}</Told>
              </span>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Left({ left }: { readonly left: UndoView['not_undone'] }) {
  return (
    <section class="notice">
      <h2>{words.left(grouped(left.length))}</h2>
      <ul>
        {left.slice(0, LINES_SHOWN).map(({ row, subject, reason }) => (
          <li key={`${row} ${subject}`}>
            <strong>{subject}</strong> <span class="muted">{words.row(row)}</span>
            <br />
            <Told>{reason}</Told>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Progress({ work, whenOver }: { readonly work: { value: WorkView | undefined }; whenOver(): void }) {
  const refused = useSignal<Refused | undefined>(undefined);
  const id = work.value?.id;
  useEffect(() => {
    const leaving = new AbortController();
    const timer = setInterval(async () => {
      const list = await ask<WorkList>('/tasks', { signal: leaving.signal }).catch(() => undefined);
      const found = list?.work.find((each) => each.id === id);
      if (found === undefined) return;
      work.value = found;
      if (found.state !== 'ended') return;
      clearInterval(timer);
      if (found.stopped !== null) refused.value = new Refused(found.stopped);
      whenOver();
    }, AGAIN_MS);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [id]);
  if (refused.value !== undefined) return <Refusal refused={refused.value} />;
  return (
    <div class="notice" role="status">
      {words.work[work.value?.state ?? 'waiting']}
    </div>
  );
}
