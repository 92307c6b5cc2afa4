import { useEffect } from 'preact/hooks';
import { allRows, rowsIn, rowsPending } from '../../../core/counts.ts';
import { isCheck } from '../../../core/given.ts';
import { Bar } from '../../../files/output/report/table.ts';
import { accountWords, countedOf } from '../../../files/output/summary-words.ts';
import type { BatchList, BatchStatusObject, ListView, PlanObject, StepObject, WorkList } from '../../api.ts';
import { Loaded, late } from '../parts/asking.tsx';
import { Button, ButtonLink, Stop } from '../parts/controls.tsx';
import { askedApart, fileName, grouped, isLeft, NEEDING, needing, sumOf } from '../parts/figures.ts';
import { ask, beat, look, query } from '../session.ts';
import { changedWords, Head, SoFar } from './list/head.tsx';
import { type Known, type OfScene, type Scene, teamPlan, useScene } from './list/scene.ts';
import type { Told } from './list/stopped.tsx';
import { isNarrow, ListTable } from './list/table.tsx';
import { type TeamPart, teamRows } from './list/team.ts';

/** What stands beside the table, and what stops a list, is a script each. */
const Start = late(async () => (await import('./list/start.tsx')).Start);
const Ended = late(async () => (await import('./list/ended.tsx')).Ended);
const RowBeside = late(async () => (await import('./list/row.tsx')).RowBeside);
const InLine = late(async () => (await import('./list/stopped.tsx')).InLine);
const Stopped = late(async () => (await import('./list/stopped.tsx')).Stopped);
const Doubts = late(async () => (await import('./list/stopped.tsx')).Doubts);

/** One view for one list: her table, and beside it what to do, how it goes, or one of its rows. */
export const ListPage = ({ id }: { readonly id: string }) => (
  <Loaded path={`/lists/${id}`} question={(signal) => knownOfList(id, signal)} again={beat.value}>
    {(known) => <Shown {...known} />}
  </Loaded>
);

/** The same view of a file that was never brought to the page, such as one that a night has worked on. */
export const ListOfBatch = ({ id }: { readonly id: string }) => (
  <Loaded path={`/batches/${id}`} question={(signal) => knownOf(undefined, id, signal)} again={beat.value}>
    {(known) => <Shown {...known} />}
  </Loaded>
);

async function knownOfList(id: string, signal: AbortSignal): Promise<Known> {
  const how = { signal, isLook: true };
  const [list, { batches }] = await Promise.all([
    ask<ListView>(`/lists/${id}`, how),
    ask<BatchList>(`/batches?list=${id}`, how),
  ]);
  const shown = list.standing.batch ?? undefined;
  const earlier = batches.filter(({ undoes, batch }) => undoes === null && batch !== shown);
  const undo = batches.find(({ undoes }) => undoes !== null && undoes === shown);
  return { ...(await knownOf(list, shown, signal)), earlier, undo };
}

async function knownOf(list: ListView | undefined, id: string | undefined, signal: AbortSignal) {
  const [batch, { work }] = await Promise.all([
    id === undefined ? undefined : look<BatchStatusObject>('status', { batch: id }, signal),
    ask<WorkList>('/tasks', { signal, isLook: true }),
  ]);
  const ids = [list?.id, id];
  const newest = work.findLast((each) => ids.includes(each.about) || ids.includes(each.batch ?? ''));
  return { name: list?.name ?? fileName(batch?.input ?? ''), list, batch, earlier: [], work: newest };
}

function Shown(known: Known) {
  const scene = useScene(known);
  const { name, batch, isRunning } = scene;
  const { rows = 0, settled = 0 } = batch?.goal ?? {};
  const part = batch && isRunning ? `${grouped(settled)} of ${grouped(rows)} · ` : '';
  useEffect(() => {
    document.title = `${part}${name}`;
    return () => {
      document.title = 'Rowonce';
    };
  }, [part, name]);
  return (
    <>
      <Head scene={scene} />
      <Stops scene={scene} />
      <div class="body">
        <div>
          {!isNarrow.value && <Funnel scene={scene} />}
          <ListTable key={query.value} scene={scene} />
          {/* On a telephone her rows come before the figures. */}
          {isNarrow.value && <Funnel scene={scene} />}
        </div>
        <Beside scene={scene} />
      </div>
    </>
  );
}

function Beside({ scene }: OfScene) {
  if (scene.opened.value !== undefined) return <RowBeside scene={scene} />;
  if (scene.isUndoing.value) return <Ended scene={scene} />;
  if (scene.isRunning) return <SoFar scene={scene} />;
  if (scene.isPlanning.value && scene.list !== undefined) return <Start scene={scene} />;
  return <Ended scene={scene} />;
}

/** Whatever stops the list or may surprise her, each in one sentence with the button that mends it. */
function Stops({ scene }: OfScene) {
  const { batch, work, isRunning } = scene;
  const stopped = stoppedOf(scene);
  return (
    <>
      {work !== undefined && work.state !== 'ended' && !batch?.running && <InLine work={work} />}
      {stopped && <Stopped key={work?.id} scene={scene} stopped={stopped} />}
      {batch && !isRunning && (batch.counts.in_doubt ?? 0) > 0 && <Doubts batch={batch} />}
      {batch?.sandbox && batch.changes === undefined && batch.settled > 0 && (
        <Stop says="These answers are invented: it is play money. To find what is real, add your account.">
          <ButtonLink to="/accounts" says="Add an account" />
        </Stop>
      )}
    </>
  );
}

/** In the words of the page's own work, else as the list stands: it was stopped in a terminal, or before. */
function stoppedOf({ batch, work, isRunning, tried }: Scene): Told | undefined {
  if (isRunning || work?.state === 'waiting') return undefined;
  const isOfBatch = work?.batch === batch?.batch || work?.batch === null;
  const isOpen = work?.batch === null || isLeft(batch);
  if (work?.stopped && isOfBatch && isOpen) return work.stopped;
  // After a try, the rest is started beside the table.
  if (!isLeft(batch) || tried !== undefined) return undefined;
  if (batch.part_done) return { code: 'part' };
  return { code: batch.budget_to_finish === undefined ? 'terminated' : 'budget' };
}

interface Share {
  readonly says: string;
  readonly rows: number;
  /** Its states, as they are filtered; undefined where nothing can be filtered yet. */
  readonly states?: string | undefined;
  readonly warns?: boolean;
}

/** The parts of the list, which add up to its rows. */
function Funnel({ scene }: OfScene) {
  const { filter } = scene;
  const shares = sharesOf(scene);
  const by = teamPlan(scene) ? '_action' : '_status';
  const { _action, _status, ...others } = filter.value.where;
  const chosen = _action ?? _status;
  const choose = (states: string | undefined): void => {
    const where = states === undefined || states === chosen ? others : { ...others, [by]: states };
    filter.value = { ...filter.value, where };
  };
  // A part that is there no more, such as the rows that needed her, would leave a table that nothing explains.
  const isGone = chosen !== undefined && !shares.some(({ states }) => states === chosen);
  useEffect(() => {
    if (isGone) choose(undefined);
  }, [isGone]);
  return (
    <fieldset class="funnel" aria-label="Show">
      {shares.map(({ says, rows, states, warns = false }, at) => {
        const look = warns && rows > 0 ? 'warn' : '';
        const shown = (
          <>
            <b>{grouped(rows)}</b> <small>{says === 'rows' && rows === 1 ? 'row' : says}</small>
            <Bar part={rows} all={shares[0]?.rows ?? 0} />
          </>
        );
        return at === 0 || states !== undefined ? (
          <Button
            key={says}
            says={shown}
            class={look}
            aria-pressed={states === chosen}
            onClick={() => choose(states)}
          />
        ) : (
          <div key={says} class={look}>
            {shown}
          </div>
        );
      })}
    </fieldset>
  );
}

/** The first one is all rows. */
function sharesOf(scene: Scene): readonly Share[] {
  const { batch, planned, described, isPlanning, isRunning, tried, report, undo } = scene;
  const team = teamPlan(scene);
  if (team !== undefined) return teamShares(team);
  const plan = isPlanning.value && planned.value?.changes === undefined ? planned.value : undefined;
  const goesOn = tried !== undefined && scene.only === undefined && plan?.unfinished === batch?.batch;
  if (plan !== undefined && !goesOn) return partsOf({ rows: plan.rows, counts: {} }, [], plan);
  // A report that was read before it went on is out of date.
  const says = batch?.changes === undefined ? 'found' : changedWords(undo);
  // A plan counts the rows that she has left out among those in doubt.
  const rest = plan && { ...plan, in_doubt: batch?.counts.in_doubt ?? 0 };
  if (batch !== undefined) return partsOf(batch, isRunning ? [] : report.value?.steps, rest, says);
  return described.value === undefined ? [] : [{ says: 'rows', rows: described.value.rows }];
}

/** A check of what was found is no find of its own. */
const isFind = ({ operation }: Pick<StepObject, 'operation'>): boolean => !isCheck(operation);

/** `found: 50 companies, 40 people`. A row may have one and lack the other, so that these are no parts. */
function withApart(says: string, apart: ReturnType<typeof askedApart>): string {
  const words = apart.filter(isFind).map(({ operation, rows }) => countedOf(rows, operation));
  return words.length < 2 ? says : `${says}: ${words.join(', ')}`;
}

/** @param plan what becomes of the rows that have no end yet. Left out: nobody has counted that. */
function partsOf(
  batch: Pick<BatchStatusObject, 'rows' | 'counts'> & Partial<BatchStatusObject>,
  all: readonly StepObject[] = [],
  plan?: PlanObject,
  says = 'found',
): readonly Share[] {
  const rows = allRows(batch);
  const counts: BatchStatusObject['counts'] = { ...batch.counts, pending: rowsPending(batch) };
  const share = (says: string, states: string, planned?: number): Share => {
    const now = sumOf(states.split(',').map((state) => counts[state] ?? 0));
    // The rows of a plan are not known one by one yet.
    const isKnown = rowsIn(batch.counts) > 0 && (planned ?? now) === now;
    return { says, rows: planned ?? now, states: isKnown ? states : undefined };
  };
  // Rows that are still to go have found some of it, too, which the words above the parts count.
  const apart = counts.pending === 0 ? foundApart(all) : [];
  const found = share(withApart(says, apart), 'matched,applied');
  const byAccount = accountShares(found.rows, all.filter(isFind));
  const isFill = byAccount.length > 0;
  const needed = plan ? plan.invalid + plan.in_doubt + (counts.refused ?? 0) : needing(batch);
  const never = all.length > 0 ? 'not finished' : 'not asked';
  const toGo = plan?.to_buy ?? (batch.goal && batch.goal.rows - batch.goal.settled);
  const left = (batch.state ?? 'open') === 'open' ? 'to go' : never;
  const parts = [
    ...(isFill ? byAccount : [found]),
    share(isFill ? 'still blank' : 'nothing found', 'no_match'),
    share('as it is', 'unchanged'),
    share(isFill ? 'had it, or left out' : 'left out', 'skipped'),
    share(plan ? withApart('will be asked', askedApart(plan)) : left, 'pending', toGo),
    { ...share(needed === 1 ? 'needs you' : 'need you', NEEDING, needed), warns: true },
  ];
  const others = plan ? 'free: known, or twice' : 'not chosen';
  const free = { says: others, rows: rows - sumOf(parts.map((part) => part.rows)) };
  const isShown = (part: Share): boolean => part.rows > 0 || (part === found && plan === undefined);
  return [{ says: 'rows', rows }, ...[...parts, free].filter(isShown)];
}

/** What each of several accounts found for the same thing; none where a row has cells of two of them. */
function accountShares(found: number, steps: readonly StepObject[]): readonly Share[] {
  const isOne = new Set(steps.map(({ operation }) => operation)).size === 1 && steps.length > 1;
  const known = found - foundBy(steps);
  if (!isOne || known < 0) return [];
  return [
    ...steps.map((step) => ({ says: accountWords(step.account), rows: step.found })),
    { says: 'known before', rows: known },
  ];
}

function foundApart(steps: readonly StepObject[]): ReturnType<typeof askedApart> {
  const things = [...Map.groupBy(steps, ({ operation }) => operation)];
  return things.length < 2 ? [] : things.map(([operation, own]) => ({ operation, rows: foundBy(own) }));
}

const foundBy = (steps: readonly StepObject[]): number => sumOf(steps.map(({ found }) => found));

const TEAM_PARTS: readonly (readonly [TeamPart, says: string])[] = [
  ['invite', 'invited'],
  ['change_role', 'changed'],
  ['remove', 'removed'],
  ['unchanged', 'as they are'],
  ['invalid', 'need you'],
];

function teamShares(plan: PlanObject): readonly Share[] {
  const people = teamRows(plan);
  const shares = TEAM_PARTS.map(([states, says]): Share => {
    const rows = people.filter(({ part }) => part === states).length;
    return { says, states, rows, warns: states === 'remove' || states === 'invalid' };
  });
  return [{ says: 'people', rows: people.length }, ...shares];
}
