import type { PlannedChangeObject, UndoPlanObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { Act } from '../../parts/act.tsx';
import { useAsked } from '../../parts/action.ts';
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
      {value === undefined && waits && <p class="soft">One moment…</p>}
      <RefusedNotice refused={refused} />
      {value && <Planned plan={value} isRunning={scene.isRunning} />}
      <p>
        <Button says="Close" onClick={() => (scene.isUndoing.value = false)} />
      </p>
    </aside>
  );
}

const STATES: Readonly<Record<UndoPlanObject['state'], string>> = {
  plan: 'This is sent when you say so. Mails that were sent stay sent.',
  nothing: 'There is nothing that can be taken back.',
  begun: 'It is being taken back.',
  undone: 'It was taken back.',
};

function Planned({ plan, isRunning }: { readonly plan: UndoPlanObject; readonly isRunning: boolean }) {
  const { id, undoes, state, changes, not_undone: stays } = plan;
  const sent = changes.filter(({ calls = [] }) => calls.length > 0).length;
  return (
    <>
      <p>{STATES[state]}</p>
      <Signs lines={changes.map(changeLine)} />
      {stays.length > 0 && (
        <div class="need">
          <b>{counted(stays.length, 'change')} cannot be taken back</b>
          <Signs lines={stays.map(({ subject, reason }) => `${subject}: ${reason}`)} />
        </div>
      )}
      {state === 'plan' && sent > 0 && (
        <Act
          look="danger"
          says={`Take back ${grouped(sent)} of them`}
          disabled={isRunning}
          does={() => ask('/undo', { body: { batch: undoes, plan: id } })}
        />
      )}
    </>
  );
}

const Signs = ({ lines }: { readonly lines: readonly string[] }) => (
  <ul class="signs">
    {lines.map((line) => (
      <li key={line}>{line}</li>
    ))}
  </ul>
);

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
