import { Fragment } from 'preact';
import { listed } from '../../../../../core/plain-text.ts';
import { Changes, HalfDone, HeldBack, LeftOut } from '../../../../../files/output/report/changes.ts';
import { columnShares, identifierShares, type Shares } from '../../../../../files/output/report/found.ts';
import { Bar, Fold } from '../../../../../files/output/report/parts.ts';
import { accountWords, stepCost, whatWords } from '../../../../../files/output/summary-words.ts';
import type { ChangesObject, ReportObject } from '../../../../api.ts';
import { lazyPart, RefusedNotice } from '../../../parts/asking.tsx';
import { Button, Facts, Foot, Panel, Scroll } from '../../../parts/controls.tsx';
import { grouped } from '../../../parts/figures.ts';
import type { OfScene } from '../scene.ts';
import { changeFacts } from '../team.ts';
import { Attention } from './attention.tsx';

const Undo = lazyPart(async () => (await import('./undo.tsx')).Undo, '');

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
      {changes && <ChangeLines {...changes} isOpen={batch?.state === 'open'} />}
      {batch?.undone_by && <a href={`/files/${batch.undone_by.batch}`}>Result of the undo</a>}
    </>
  );
}

/** The changes by what they did, and those that were not made: they add up to all that were planned. */
function ChangeLines({ done, planned, not_made, isOpen }: ChangesObject & { readonly isOpen: boolean }) {
  const { half_done: half, in_doubt: lost, pending, others } = not_made;
  const left = isOpen ? pending : 0;
  return (
    <Facts
      of={changeFacts(
        done,
        ['Half done', half],
        ['Perhaps made', lost],
        ['Still to do', left],
        ['Not made', pending - left + others],
      )}
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
