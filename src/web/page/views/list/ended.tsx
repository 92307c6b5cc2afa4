import { Changes, HeldBack } from '../../../../files/output/report/changes.ts';
import { Accounts, Columns, Identifiers } from '../../../../files/output/report/found.ts';
import { Needs } from '../../../../files/output/report/needs.ts';
import type { UndoPlanObject } from '../../../api.ts';
import { Act, Loaded, RefusedNotice } from '../../parts/asking.tsx';
import { Button, RowLinks, Sentences, Stop } from '../../parts/controls.tsx';
import { counted, grouped } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import type { OfScene } from './scene.ts';
import { isSent, markOf, teamRows } from './team.ts';

/** Beside the table once it has ended: what needs her, by what it was found, and what came back. */
export function Ended({ scene }: OfScene) {
  const { report, opened, isUndoing } = scene;
  const { value, refused } = report;
  if (isUndoing.value) return <Undo scene={scene} />;
  if (value === undefined) return <RefusedNotice refused={refused} />;
  const { figures, changes } = value;
  return (
    <aside aria-label="Results">
      <Needs reasons={figures.reasons} which={(reason) => <RowLinks {...reason} opened={opened} />} />
      {changes === undefined ? (
        <>
          <Identifiers {...value} />
          <Columns {...value} />
          <Accounts {...value} />
        </>
      ) : (
        <>
          <HeldBack {...changes} />
          <h2>What was changed</h2>
          <Changes {...changes} />
        </>
      )}
    </aside>
  );
}

/** What would be taken back, and what cannot be, before it is. */
function Undo({ scene: { batch, work, isUndoing } }: OfScene) {
  return (
    <aside aria-label="Undo">
      <h2>Take it back</h2>
      <Loaded<UndoPlanObject> path="/undo" body={{ batch: batch?.batch, dry_run: true }} again={work?.state}>
        {(plan) => <Planned {...plan} />}
      </Loaded>{' '}
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

function Planned({ id, undoes, state, by, changes, not_undone: stays }: UndoPlanObject) {
  const sent = changes.filter(isSent).length;
  const lines = teamRows({ changes }).map(
    ({ part, email, project, happens }) => `${markOf(part)} ${email} in ${project}: ${happens}`,
  );
  return (
    <>
      <p>
        {STATES[state]} {by !== null && <a href={`/files/${by}`}>What came of it</a>}
      </p>
      <Sentences of={lines} />
      {stays.length > 0 && (
        <Stop says={`${counted(stays.length, 'change')} cannot be taken back`}>
          <Sentences of={stays.map(({ subject, reason }) => `${subject}: ${reason}`)} />
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
