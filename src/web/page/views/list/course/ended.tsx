import { useSignal } from '@preact/signals';
import { Fragment } from 'preact';
import { listed } from '../../../../../core/plain-text.ts';
import { Changes, HalfDone, HeldBack, LeftOut } from '../../../../../files/output/report/changes.ts';
import { columnShares, identifierShares, type Shares } from '../../../../../files/output/report/found.ts';
import { Bar, Fold } from '../../../../../files/output/report/parts.ts';
import {
  accountWords,
  changesDoneIn,
  stepCost,
  whatWords,
} from '../../../../../files/output/summary-words.ts';
import type { BatchList, ChangesObject, ReportObject, UndoPlanObject } from '../../../../api.ts';
import { Act, Loaded, lazyPart, RefusedNotice, useAnswer } from '../../../parts/asking.tsx';
import { Button, Facts, Foot, Notice, Panel, Scroll, Sentences } from '../../../parts/controls.tsx';
import { counted, dayAndTime, grouped } from '../../../parts/figures.ts';
import { ask } from '../../../session.ts';
import type { Agreed, OfScene } from '../scene.ts';
import { whyNot } from '../start/agreed.ts';
import { changeFacts, isSent, markOf, teamRows } from '../team.ts';
import { Attention } from './attention.tsx';

const Guards = lazyPart(async () => (await import('../start/agreements.tsx')).Guards, '');
const Losing = lazyPart(async () => (await import('../start/agreements.tsx')).Losing, '');
const Mailed = lazyPart(async () => (await import('../start/agreements.tsx')).Mailed, '');

/** Beside the table once it has ended: what needs her, by what it was found, and what came back. */
export function Ended({ scene }: OfScene) {
  const { report, opened, isUndoing } = scene;
  const { value, refused } = report;
  if (isUndoing.value) return <Undo scene={scene} />;
  if (value === undefined)
    return (
      <Panel name="Results">
        <Scroll>{refused ? <RefusedNotice refused={refused} /> : <p class="soft">One moment…</p>}</Scroll>
      </Panel>
    );
  const { figures, changes } = value;
  return (
    <Panel name="Results" brief={value.words.headline}>
      <Scroll>
        <Came scene={scene} report={value} />
        <Attention reasons={figures.reasons} opened={opened} />
        {changes === undefined ? (
          <>
            <Meters {...identifierShares(value)} />
            <Meters {...columnShares(value)} />
            <WhoFound {...value} />
          </>
        ) : (
          <>
            <HalfDone {...changes} />
            <HeldBack {...changes} />
            <LeftOut {...changes} />
            <Fold title="By project and role">
              <Changes {...changes} />
            </Fold>
          </>
        )}
      </Scroll>
      <Else scene={scene} />
    </Panel>
  );
}

/** What came of it in all, and what it cost. */
function Came({ scene, report: { words, changes } }: OfScene & { readonly report: ReportObject }) {
  const { batch } = scene;
  return (
    <>
      <p role="status">
        <strong>{words.headline}</strong> <br />
        <span class="soft">
          {words.cost} {words.besides} {words.again}
        </span>
      </p>
      {changes && <ChangeLines {...changes} rest={batch?.state === 'open' ? 'Still to do' : 'Not made'} />}
      {batch?.undone_by && <a href={`/files/${batch.undone_by.batch}`}>Result of the undo</a>}
    </>
  );
}

/** The changes by what they did, and those that were not made: they add up to all that were planned. */
function ChangeLines({ done, planned, counts, rest }: ChangesObject & { readonly rest: string }) {
  const made = changesDoneIn({ done });
  const { in_doubt: lost = 0 } = counts;
  return (
    <Facts
      of={changeFacts(done, ['Perhaps made', lost], [rest, planned - made - lost])}
      sum={planned > 0 ? ['Changes', grouped(planned)] : undefined}
    />
  );
}

/** More of them are in a fold. */
const METERS_SHOWN = 8;

/** Shares as pictures. What is whole has none. */
function Meters({ title, shares }: Shares) {
  if (shares.length === 0) return null;
  const whole = shares.filter(([, { part, all }]) => part === all);
  const others = shares.filter(([, { part, all }]) => part < all);
  const meters = (some: typeof shares) => (
    <div class="meters">
      {some.map(([name, share]) => (
        <Fragment key={name}>
          <span>{name}</span>
          <Bar {...share} />
          <span class="soft">
            {grouped(share.part)} of {grouped(share.all)}
          </span>
        </Fragment>
      ))}
    </div>
  );
  const more = others.slice(METERS_SHOWN);
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      {others.length > 0 && meters(others.slice(0, METERS_SHOWN))}
      {more.length > 0 && <Fold title={`${grouped(more.length)} more`}>{meters(more)}</Fold>}
      {[...Map.groupBy(whole, ([, { all }]) => all)].map(([all, counts]) => (
        <p key={all} class="soft">
          {listed(counts.map(([name]) => name))}: all {grouped(all)}
        </p>
      ))}
    </section>
  );
}

/** What each account was asked and found at which price, where there are several. */
function WhoFound({ steps = [] }: ReportObject) {
  if (steps.length === 0) return null;
  return (
    <section>
      <h2>Who found it</h2>
      <ol>
        {steps.map((step, at) => (
          <li key={`${step.account} ${step.operation}`} class="step">
            <span class="soft">{at + 1}</span>
            <span>
              {accountWords(step.account)}: {whatWords(step.operation)}
            </span>
            <span>
              {grouped(step.found)} of {grouped(step.reached)}
            </span>
            <small>{stepCost(step)}</small>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What else can be done with the list, once it has ended. */
function Else({ scene: { batch, list, isUndoing, isPlanning } }: OfScene) {
  const canUndo = batch?.changes !== undefined && batch.state !== 'open';
  if (!canUndo && list === undefined) return null;
  return (
    <Foot>
      <div class="bar">
        {list && <Button says="Do something else" onClick={() => (isPlanning.value = true)} />}
        {canUndo && <Button look="quiet" says="Undo…" onClick={() => (isUndoing.value = true)} />}
      </div>
    </Foot>
  );
}

/** What would be taken back, and what cannot be, before it is. */
function Undo({ scene: { batch, list, work, isUndoing } }: OfScene) {
  const agreed = useSignal<Agreed>({});
  const request = { path: '/undo', body: { batch: batch?.batch, dry_run: true } };
  // An undo may have begun and ended between two looks at the work.
  const { value: plan, refused } = useAnswer<UndoPlanObject>(request, `${work?.id} ${work?.state}`);
  const sent = plan?.changes.filter(isSent).length ?? 0;
  const why = plan && sent > 0 ? whyNot({ agreed, list }, plan) : undefined;
  return (
    <Panel name="Undo">
      <Scroll>
        <h2>Take it back</h2>
        <RefusedNotice refused={refused} />
        {plan ? <Planned {...plan} /> : !refused && <p class="soft">One moment…</p>}
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
              // The button waits until she has allowed who becomes admin; the plan's id says whom.
              does={() => ask('/undo', { body: { batch: plan.undoes, plan: plan.id, allow_admin: true } })}
            />
          )}
          <Button says="Close" onClick={() => (isUndoing.value = false)} />
        </div>
        {why && <p class="why">{why}</p>}
      </Foot>
    </Panel>
  );
}

const STATES: Readonly<Record<UndoPlanObject['state'], string>> = {
  plan: 'Nothing is sent before you confirm. Mails that were sent stay sent.',
  nothing: 'There is nothing that can be taken back.',
  begun: 'It is being taken back.',
  undone: 'It was taken back.',
};

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

function Planned({ state, by, changes, not_undone: stays }: UndoPlanObject) {
  const lines = teamRows({ changes }).map(({ part, email, project, happens }) => {
    const where = happens.includes(project) ? '' : ` in ${project}`;
    return `${markOf(part)} ${email}${where}: ${happens}`;
  });
  return (
    <>
      <p>
        {STATES[state]} {by !== null && <a href={`/files/${by}`}>Result of the undo</a>}
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
