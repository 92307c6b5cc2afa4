import type { PlannedChangeObject, UndoPlanObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction, useAsked } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { ask, look } from '../../session.ts';
import type { Scene } from './scene.ts';

/** What would be taken back, and what cannot be, before it is. */
export function Undo({ scene }: { readonly scene: Scene }) {
  const batch = scene.batch?.batch ?? '';
  const { value, refused, waits } = useAsked<UndoPlanObject>(
    (signal) => look('undo', { batch, dry_run: true }, signal),
    [batch, scene.work?.state],
  ).value;
  return (
    <aside aria-label="Undo">
      <h2>Take it back</h2>
      {value === undefined && waits && <p class="loading">One moment…</p>}
      <RefusedNotice refused={refused} />
      {value && <Planned scene={scene} plan={value} />}
      <p>
        <Button says="Close" onClick={() => (scene.isUndoing.value = false)} />
      </p>
    </aside>
  );
}

function Planned({ scene, plan }: { readonly scene: Scene; readonly plan: UndoPlanObject }) {
  const { id, state, changes, not_undone: stays } = plan;
  const action = useAction();
  const sent = changes.filter(({ calls = [] }) => calls.length > 0);
  const undo = (): void => action.run(() => ask('/undo', { body: { batch: plan.undoes, plan: id } }));
  return (
    <>
      <p>{STATES[state]}</p>
      <ul class="signs">
        {changes.map((change) => (
          <li key={`${change.row} ${change.project} ${change.action}`}>{changeLine(change)}</li>
        ))}
      </ul>
      {stays.length > 0 && (
        <div class="need">
          <b>{counted(stays.length, 'change')} cannot be taken back</b>
          <ul class="signs">
            {stays.map(({ row, subject, reason }) => (
              <li key={`${row} ${subject}`}>
                {subject}: {reason}
              </li>
            ))}
          </ul>
        </div>
      )}
      {state === 'plan' && sent.length > 0 && (
        <Button
          look="danger"
          says={`Take back ${grouped(sent.length)} of them`}
          disabled={action.isBusy.value || scene.isRunning}
          onClick={undo}
        />
      )}
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

const STATES: Readonly<Record<UndoPlanObject['state'], string>> = {
  plan: 'This is sent when you say so. Mails that were sent stay sent.',
  nothing: 'There is nothing that can be taken back.',
  begun: 'It is being taken back.',
  undone: 'It was taken back.',
};

function changeLine({ action, email, project, from, to }: PlannedChangeObject): string {
  const role = from !== null && to !== null && to !== 'none' ? `: ${from} → ${to}` : '';
  const where = project === null ? '' : ` in ${project}`;
  return `${SIGNS[action] ?? '='} ${email ?? ''}${where}${role}`;
}

const SIGNS: Readonly<Record<string, string>> = {
  invite: '+',
  add: '+',
  change_role: '~',
  remove: '−',
  delete_invite: '−',
  invalid: '!',
};
