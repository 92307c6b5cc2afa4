import { useSignal } from '@preact/signals';
import type { BatchList, UndoPlanObject } from '../../../../api.ts';
import { Act, Loaded, lazyPart, RefusedNotice, useAnswer } from '../../../parts/asking.tsx';
import { Button, Foot, Notice, Panel, Scroll, Sentences } from '../../../parts/controls.tsx';
import { counted, dayAndTime } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import { isUndoLeft } from '../head/undo-state.tsx';
import type { Agreed, OfScene, Scene } from '../scene.ts';
import { whyNot } from '../start/agreed.ts';
import { isSent, markOf, teamRows } from '../team.ts';
import { leftOver } from './go-on.ts';

const Guards = lazyPart(async () => (await import('../start/agreements.tsx')).Guards, '');
const Losing = lazyPart(async () => (await import('../start/agreements.tsx')).Losing, '');
const Mailed = lazyPart(async () => (await import('../start/agreements.tsx')).Mailed, '');

/** What would be taken back, and what cannot be, before it is. */
export function Undo({ scene }: OfScene) {
  const { batch, list, undoing, isUndoing } = scene;
  const agreed = useSignal<Agreed>({});
  const request = { path: '/undo', body: { batch: batch?.batch, dry_run: true } };
  // An undo may have begun and ended between two looks at the work.
  const { value: plan, refused } = useAnswer<UndoPlanObject>(
    request,
    `${undoing?.id} ${undoing?.state} ${batch?.undone_by?.running}`,
  );
  const sent = plan?.changes.filter(isSent).length ?? 0;
  const why = plan && sent > 0 ? whyNot({ agreed, list }, plan) : undefined;
  return (
    <Panel name="Undo">
      <Scroll>
        <h2>Take it back</h2>
        <RefusedNotice refused={refused} />
        {plan ? <Planned scene={scene} plan={plan} /> : !refused && <p class="soft">One moment…</p>}
      </Scroll>
      <Foot>
        {plan && sent > 0 && (
          <div class="stack agreed">
            <Guards plan={plan} agreed={agreed} list={list} />
            <Losing plan={plan} agreed={agreed} />
          </div>
        )}
        {plan && <Mailed plan={plan} account={batch?.account ?? ''} />}
        <div class="bar">
          {plan?.state === 'plan' && sent > 0 && (
            <Act
              look="go"
              says={`Take back ${counted(sent, 'change')}`}
              disabled={why !== undefined}
              does={() => ask('/undo', { body: { batch: plan.undoes, plan: plan.id } })}
            />
          )}
          <Button says="Close" onClick={() => (isUndoing.value = false)} />
        </div>
        {why && <p class="why">{why}</p>}
      </Foot>
    </Panel>
  );
}

const STATES: Readonly<Record<Exclude<UndoPlanObject['state'], 'begun'>, string>> = {
  plan: 'Nothing is sent before you confirm. Mails that were sent stay sent.',
  nothing: 'There is nothing that can be taken back.',
  undone: 'It was taken back.',
};

function begunWords(scene: Scene): string {
  if (isUndoLeft(scene)) return `It was stopped. ${leftOver(scene.batch?.undone_by?.left)}`;
  const undo = scene.batch?.undone_by;
  const waits = undo !== undefined && undo.left === undefined;
  return waits ? 'It waits for what is in doubt.' : 'It is being taken back.';
}

/** What stays, and why; another list that has changed it since is named by when it was started. */
const Stays = ({ of: stays }: { readonly of: UndoPlanObject['not_undone'] }) => (
  <Loaded<BatchList> path="/batches">
    {({ batches }) => (
      <Sentences of={stays.map((each) => `${each.subject}: ${inListWords(each, batches)}`)} />
    )}
  </Loaded>
);

function inListWords(
  { reason, findings }: UndoPlanObject['not_undone'][number],
  batches: BatchList['batches'],
) {
  return findings.reduce((words, { facts }) => {
    const other = 'batch' in facts && batches.find(({ batch }) => batch === facts.batch);
    if (!other) return words.replace(/\bbatch [0-9a-f]{8}\b/, 'another list');
    return words.replace(`batch ${other.batch}`, `“${other.input}”, started ${dayAndTime(other.created_at)}`);
  }, reason);
}

function Planned({ scene, plan }: OfScene & { readonly plan: UndoPlanObject }) {
  const { state, by, changes, not_undone: stays } = plan;
  const lines = teamRows({ changes }).map(({ part, email, project, happens }) => {
    const where = happens.includes(project) ? '' : ` in ${project}`;
    return `${markOf(part)} ${email}${where}: ${happens}`;
  });
  return (
    <>
      <p>
        {state === 'begun' ? begunWords(scene) : STATES[state]}{' '}
        {by !== null && <a href={`/files/${by}`}>Result of the undo</a>}
      </p>
      <Sentences of={lines} />
      {stays.length > 0 && (
        <>
          <Notice says={`${counted(stays.length, 'change')} cannot be taken back`} />
          <Stays of={stays} />
        </>
      )}
    </>
  );
}
