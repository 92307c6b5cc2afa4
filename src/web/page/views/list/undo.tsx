import type { UndoPlanObject } from '../../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { Act } from '../../parts/act.tsx';
import { Button } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { Stop } from '../../parts/stop.tsx';
import { ask } from '../../session.ts';
import type { Scene } from './scene.ts';
import { isSent, SIGNS, teamRows } from './team-words.ts';

/** What would be taken back, and what cannot be, before it is. */
export function Undo({ scene }: { readonly scene: Scene }) {
  const { batch, work, isUndoing } = scene;
  return (
    <aside aria-label="Undo">
      <h2>Take it back</h2>
      <Loaded<UndoPlanObject> path="/undo" body={{ batch: batch?.batch, dry_run: true }} again={work?.state}>
        {(plan) => <Planned plan={plan} />}
      </Loaded>
      <Button says="Close" onClick={() => (isUndoing.value = false)} />
    </aside>
  );
}

const STATES: Readonly<Record<UndoPlanObject['state'], string>> = {
  plan: 'This is sent when you say so. Mails that were sent stay sent.',
  nothing: 'There is nothing that can be taken back.',
  begun: 'It is being taken back.',
  undone: 'It was taken back.',
};

function Planned({ plan }: { readonly plan: UndoPlanObject }) {
  const { id, undoes, state, by, changes, not_undone: stays } = plan;
  const sent = changes.filter(isSent).length;
  const lines = teamRows({ changes }).map(
    ({ part, email, project, happens }) => `${SIGNS[part]} ${email} in ${project}: ${happens}`,
  );
  return (
    <>
      <p>
        {STATES[state]} {by !== null && <a href={`/files/${by}`}>What came of it</a>}
      </p>
      <Signs lines={lines} />
      {stays.length > 0 && (
        <Stop says={`${counted(stays.length, 'change')} cannot be taken back`}>
          <Signs lines={stays.map(({ subject, reason }) => `${subject}: ${reason}`)} />
        </Stop>
      )}
      {state === 'plan' && sent > 0 && (
        <Act
          look="bad"
          says={`Take back ${grouped(sent)} of them`}
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
