import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { allRows, rowsIn, rowsPending } from '../../../core/counts.ts';
import { isCheck } from '../../../core/given.ts';
import type { PeopleEnd } from '../../../core/people.ts';
import { accountWords, countedOf } from '../../../files/output/summary-words.ts';
import type {
  BatchStatusObject,
  ChangesObject,
  KnownOfList,
  ListView,
  PlanObject,
  ReportObject,
  StepObject,
} from '../../api.ts';
import { arriving } from '../parts/arriving.ts';
import { Loaded, lazyPart } from '../parts/asking.tsx';
import { workShown } from '../parts/away.tsx';
import { Button } from '../parts/controls.tsx';
import { askedApart, grouped, isLeft, lookedUp, NEEDING, needing, sumOf } from '../parts/figures.ts';
import { ask, beat, query } from '../session.ts';
import { figured } from './list/figured.tsx';
import { Head } from './list/head/head.tsx';
import { isFill } from './list/job.ts';
import {
  cameAgain,
  conditionsOf,
  type Known,
  newestWork,
  type OfScene,
  PLANNED_NEEDING,
  rowsMended,
  type Scene,
  type TILED,
  useScene,
} from './list/scene.ts';
import { ListTable } from './list/table/table.tsx';
import { OFF_LIST, plannedTeam, type TeamPart } from './list/team.ts';

/** What stands beside the table, what came again, and what stops a list, is a script each. */
const OnItsWay = lazyPart(async () => (await import('./arriving.tsx')).OnItsWay, '');
const PlayMoney = lazyPart(async () => (await import('./list/start/play.tsx')).PlayMoney, '');
const Parts = lazyPart(async () => (await import('./list/since.tsx')).Parts, '');
const DropHere = lazyPart(async () => (await import('../parts/bring-here.tsx')).DropHere, '');
const Start = lazyPart(async () => (await import('./list/start/start.tsx')).Start);
const Ended = lazyPart(async () => (await import('./list/course/ended.tsx')).Ended);
const SoFar = lazyPart(async () => (await import('./list/course/running.tsx')).SoFar);
const Waits = lazyPart(async () => (await import('./list/course/running.tsx')).Waits, '');
const EndNotice = lazyPart(async () => (await import('../parts/notify.tsx')).EndNotice, '');
const Unread = lazyPart(async () => (await import('./list/head/readings.tsx')).Unread, '');
const Mends = lazyPart(async () => (await import('./list/course/mended.tsx')).Mends, '');
const RowBeside = lazyPart(async () => (await import('./list/row/row.tsx')).RowBeside);
const Standing = lazyPart(async () => (await import('./list/course/stopped.tsx')).Standing);

/** One view for one list: her table, and beside it what to do, how it goes, or one of its rows. */
export function ListPage({ id }: { readonly id: string }) {
  const { value: file } = arriving;
  const isItself = file?.list?.id === id;
  return (
    <Loaded
      path={`/lists/${id}`}
      question={(signal) => knownOfList(id, signal)}
      again={beat.value}
      view="List"
      first={isItself ? knownAnew(file.list) : undefined}
      meanwhile={
        isItself ? (
          <div class="list">
            <OnItsWay file={file} />
          </div>
        ) : undefined
      }
    >
      {(known) => <Shown {...known} />}
    </Loaded>
  );
}

/** A list that was brought just now, and over which nothing was started before. */
const knownAnew = (list: ListView): Known | undefined =>
  list.standing.batch === null
    ? { name: list.name, list, batch: undefined, earlier: [], work: undefined }
    : undefined;

/** The same view of an earlier version of a list, or of a file that was never brought to the page. */
export const ListOfBatch = ({ id }: { readonly id: string }) => (
  <Loaded
    path={`/batches/${id}`}
    question={async (signal) => (await import('./list/of-batch.ts')).knownOfBatch(id, signal)}
    again={beat.value}
    view="List"
    missing="This list is not here. It may have been deleted, or be in another store."
  >
    {(known) => <Shown {...known} />}
  </Loaded>
);

async function knownOfList(id: string, signal: AbortSignal): Promise<Known> {
  const how = { signal, isLook: true };
  const { list, batches, batch, work } = await ask<KnownOfList>(`/lists/${id}/known`, how);
  const { name, standing } = list;
  const earlier = batches.filter((each) => each.undoes === null && each.batch !== standing.batch);
  const undo = batches.find(({ undoes }) => undoes !== null && undoes === standing.batch);
  return {
    name,
    list,
    batch,
    earlier,
    undo,
    work: newestWork(work, [id, standing.batch]),
    undoing: newestWork(work, [standing.batch, undo?.batch], true),
  };
}

function Shown(known: Known) {
  const scene = useScene(known);
  const { name, batch, isRunning, undoing } = scene;
  const { rows = 0, settled = 0 } = batch ? lookedUp(batch) : {};
  const { running: isUndone, left = rows - settled } = batch?.undone_by ?? {};
  const part = batch && isRunning ? `${grouped(settled)} of ${grouped(rows)} · ` : '';
  useEffect(() => {
    document.title = `${part}${name}`;
    return () => {
      document.title = 'Rowonce';
    };
  }, [part, name]);
  const hasRun = useRef(false);
  hasRun.current ||= isRunning;
  useEffect(() => {
    const isElsewhere = [scene.work, undoing].every((work) => work?.state !== 'working');
    workShown.value = batch && (isRunning || isUndone) ? { rowsLeft: left, isElsewhere } : undefined;
    return () => {
      workShown.value = undefined;
    };
  }, [isRunning, isUndone, left, scene.work?.state, undoing?.state]);
  return (
    <div class="list">
      <Head scene={scene} />
      <Stops scene={scene} />
      {hasRun.current && <EndNotice name={name} batch={batch} isRunning={isRunning} />}
      <div class="split">
        <ListTable key={query.value} scene={scene} tiles={<Tiles scene={scene} />} />
        <Beside scene={scene} />
      </div>
    </div>
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
  const { batch } = scene;
  return (
    <div class="notices">
      {scene.described.refused && <Unread scene={scene} />}
      <Dropped />
      {scene.isRunning && <Waits scene={scene} />}
      {mayStand(scene) && <Standing scene={scene} />}
      {batch?.sandbox && batch.changes === undefined && batch.settled > 0 && <PlayMoney scene={scene} />}
      {(scene.list?.lost?.length || rowsMended(scene) > 0) && <Mends scene={scene} />}
    </div>
  );
}

/** A browser would leave the page for a file that is dropped on it. */
function Dropped() {
  const isHeld = useSignal(false);
  const file = useRef<File | undefined>(undefined);
  useEffect(() => {
    document.ondragover = document.ondrop = (event) => {
      event.preventDefault();
      isHeld.value = true;
      if (event.type === 'drop') file.current = event.dataTransfer?.files[0];
    };
    return () => {
      document.ondragover = document.ondrop = null;
    };
  }, []);
  return isHeld.value ? <DropHere dropped={file} /> : null;
}

/** Whether something stands still, or waits: itself, a doubt, or what takes it back. */
const mayStand = ({ batch, work, undoing, tried }: Scene): boolean =>
  batch?.undone_by !== undefined ||
  (batch?.counts.in_doubt ?? 0) > 0 ||
  [work, undoing].some((each) => each && (each.state !== 'ended' || each.stopped)) ||
  (tried === undefined && isLeft(batch));

interface Share {
  readonly says: string;
  readonly rows: number;
  /** Its states, as they are filtered; undefined where nothing can be filtered yet. */
  readonly states?: string | undefined;
  /** Before a start, its figures in the plan, as they are filtered. */
  readonly is?: string;
  /** By what it is filtered; left out: by how the rows have ended. */
  readonly by?: (typeof TILED)[number];
  /** It is no part of the first one: changes, beside people. */
  readonly isApart?: boolean;
  /** The sign before its figure. */
  readonly tone?: Tone | undefined;
}

type Tone = 'found' | 'none' | 'next' | 'need' | 'new' | 'chg' | 'gone';

/** The parts of the list, which add up to its rows. */
function Tiles({ scene }: OfScene) {
  const edited = cameAgain(scene);
  const isPlanned = scene.isPlanning.value && scene.teamPlanned === undefined;
  if (edited !== undefined && isPlanned) return <Parts scene={scene} edited={edited} />;
  return <States scene={scene} />;
}

function States({ scene }: OfScene) {
  const { filter } = scene;
  const shares = sharesOf(scene);
  const { _person, _action, _status, _differs, ...others } = filter.value.where;
  const chosen = filter.value.is ?? _person ?? _action ?? _status ?? _differs;
  const choose = async ({ states, is, by = '_status' }: Partial<Share>): Promise<void> => {
    const isTurned = (is ?? states) === chosen;
    // What the start leaves out is none of the rows that she has filtered by the same conditions.
    const { isOfJob } = is === 'skipped' ? await import('./list/conditions-changed.ts') : {};
    const conditions = isOfJob?.(scene.job, filter.value) ? conditionsOf({}) : {};
    const where = states === undefined || isTurned ? others : { ...others, [by]: states };
    const chosenRows = { where, is: isTurned ? undefined : is, wrong: undefined, ...conditions };
    filter.value = { ...filter.value, ...chosenRows };
  };
  // A part that is there no more, such as the rows that needed her, would leave a table that nothing explains.
  const isPlanned = !scene.isPlanning.value || scene.plannedInView !== undefined;
  const isGone =
    isPlanned && chosen !== undefined && !shares.some(({ states, is }) => (is ?? states) === chosen);
  useEffect(() => {
    if (isGone) choose({});
  }, [isGone]);
  return (
    <>
      {shares.map((share, at) => {
        const { says, rows, tone, isApart = false } = share;
        const part = share.is ?? share.states;
        const look = isApart && shares[at - 1]?.isApart !== true ? 'tile apart' : 'tile';
        const shown = figured(rows, says);
        return at === 0 || part !== undefined ? (
          <Button
            key={says}
            says={shown}
            class={look}
            data-tone={tone}
            aria-pressed={part === chosen}
            onClick={() => choose(share)}
          />
        ) : (
          <div key={says} class={look} data-tone={tone}>
            {shown}
          </div>
        );
      })}
    </>
  );
}

/** The first one is all rows. */
function sharesOf(scene: Scene): readonly Share[] {
  const { batch, plannedInView: planned, isPlanning, isRunning, report } = scene;
  const team = scene.teamPlanned;
  if (team !== undefined) return planShares(team);
  const plan = isPlanning.value && planned?.changes === undefined ? planned : undefined;
  if (plan !== undefined) return plannedParts(scene, plan);
  if (batch?.changes && batch.changes.people.all > 0)
    return [
      ...peopleShares(batch.changes, DONE_TILES),
      ...changeShares(batch.changes, DONE_WORDS, report.value?.changes),
    ];
  const says = batch?.changes === undefined ? 'found' : 'changed';
  // A report that was read before it went on is out of date.
  const { steps, figures } = (!isRunning && report.value) || {};
  if (batch !== undefined) return [...partsOf(batch, steps, says), ...otherAbnShare(figures)];
  return readShares(scene);
}

/** What becomes of the rows by the plan. The parts add up to all rows. */
function plannedParts({ job, batch, tried }: Scene, plan: PlanObject): readonly Share[] {
  const { rows, skipped = 0, invalid, to_buy: toBuy, bought_before: known, accepted, duplicates } = plan;
  // A plan counts the rows that she has left out among those in doubt.
  const doubts = plan.unfinished === batch?.batch ? (batch?.counts.in_doubt ?? 0) : plan.in_doubt;
  const needed = invalid + doubts;
  const leftOut = skipped + plan.in_doubt - doubts;
  const parts: readonly Share[] = [
    { says: withApart('to look up', askedApart(plan)), rows: toBuy, is: 'to_buy', tone: 'next' },
    { says: tried?.rows === known ? 'tried' : 'known', rows: known, is: 'bought_before', tone: 'found' },
    { says: duplicates === 1 ? 'duplicate' : 'duplicates', rows: duplicates, is: 'duplicates', tone: 'none' },
    { says: 'on the way', rows: accepted, is: 'accepted', tone: 'next' },
    { says: isFill(job) ? 'filled, or left out' : 'left out', rows: leftOut, is: 'skipped', tone: 'none' },
    { says: needWhat(needed), rows: needed, is: PLANNED_NEEDING, tone: 'need' },
  ];
  return [{ says: 'rows', rows }, ...parts.filter((part) => part.rows > 0)];
}

const needWhat = (rows: number): string => (rows === 1 ? 'needs attention' : 'need attention');

/** What is counted of a list that is not planned yet; of a long one, what its plan has counted so far. */
function readShares({ described, reading }: Scene): readonly Share[] {
  if (reading === undefined)
    return described.value === undefined ? [] : [{ says: 'rows', rows: described.value.rows }];
  const { rows, to_buy: toBuy, free, invalid } = reading;
  const parts: readonly Share[] = [
    { says: 'to look up', rows: toBuy, tone: 'next' },
    { says: 'free', rows: free, tone: 'found' },
    { says: needWhat(invalid), rows: invalid, tone: 'need' },
  ];
  return rows === 0 ? [] : [{ says: 'rows so far', rows }, ...parts.filter((part) => part.rows > 0)];
}

/** A check of what was found is no find of its own. */
const isFind = ({ operation }: Pick<StepObject, 'operation'>): boolean => !isCheck(operation);

/** `found: 50 companies, 40 people`. A row may have one and lack the other, so that these are no parts. */
function withApart(says: string, apart: ReturnType<typeof askedApart>): string {
  const words = apart.filter(isFind).map(({ operation, rows }) => countedOf(rows, operation));
  return words.length < 2 ? says : `${says}: ${words.join(', ')}`;
}

function partsOf(
  batch: Pick<BatchStatusObject, 'rows' | 'counts'> & Partial<BatchStatusObject>,
  all: readonly StepObject[] = [],
  says = 'found',
): readonly Share[] {
  const rows = allRows(batch);
  const counts: BatchStatusObject['counts'] = { ...batch.counts, pending: rowsPending(batch) };
  const share = (tone: Tone | undefined, says: string, states: string, goal?: number): Share => {
    const now = sumOf(states.split(',').map((state) => counts[state] ?? 0));
    // Rows that are still to be read are not known one by one yet.
    const isKnown = rowsIn(batch.counts) > 0 && (goal ?? now) === now;
    return { says, rows: goal ?? now, states: isKnown ? states : undefined, tone };
  };
  // Rows that are still to go have found some of it, too, which the words above the parts count.
  const apart = counts.pending === 0 ? foundApart(all) : [];
  const found = share('found', withApart(says, apart), 'matched,applied');
  const byAccount = accountShares(found.rows, all.filter(isFind));
  const isFill = byAccount.length > 0;
  const needed = needing(batch);
  const never = all.length > 0 ? 'not finished' : 'not asked';
  const toTry = batch.trying === undefined ? undefined : Math.max(0, batch.trying - (batch.settled ?? 0));
  const toGo = toTry ?? (batch.goal && batch.goal.rows - batch.goal.settled);
  const pendingWords = (batch.state ?? 'open') === 'open' ? 'to go' : never;
  const parts = [
    ...(isFill ? byAccount : [found]),
    share('none', isFill ? 'still blank' : 'nothing found', 'no_match'),
    share(undefined, 'as it is', 'unchanged'),
    share(undefined, isFill ? 'had it, or left out' : 'left out', 'skipped'),
    share('next', pendingWords, 'pending', toGo),
    share('need', needWhat(needed), NEEDING, needed),
  ];
  const others: Share = {
    says: toTry === undefined ? 'not chosen' : 'not tried',
    rows: rows - sumOf(parts.map((part) => part.rows)),
  };
  const isShown = (part: Share): boolean => part.rows > 0 || part === found;
  return [{ says: 'rows', rows }, ...[...parts, others].filter(isShown)];
}

/** Rows among those found, and so no part of their own. */
function otherAbnShare(figures: Partial<ReportObject['figures']> = {}): readonly Share[] {
  const rows = figures.other_abn?.count ?? 0;
  const share = {
    says: 'with another ABN',
    rows,
    states: 'abn',
    by: '_differs',
    tone: 'need',
    isApart: true,
  };
  return rows === 0 ? [] : [share as Share];
}

/** What each of several accounts found for the same thing; none where a row has cells of two of them. */
function accountShares(found: number, steps: readonly StepObject[]): readonly Share[] {
  const isOne = new Set(steps.map(({ operation }) => operation)).size === 1 && steps.length > 1;
  const known = found - foundBy(steps);
  if (!isOne || known < 0) return [];
  return [
    ...steps.map((step): Share => {
      return { says: accountWords(step.account), rows: step.found, tone: 'found' };
    }),
    { says: 'known before', rows: known, tone: 'found' },
  ];
}

function foundApart(steps: readonly StepObject[]): ReturnType<typeof askedApart> {
  const things = [...Map.groupBy(steps, ({ operation }) => operation)];
  return things.length < 2
    ? []
    : things.map(([operation, ofOperation]) => ({ operation, rows: foundBy(ofOperation) }));
}

const foundBy = (steps: readonly StepObject[]): number => sumOf(steps.map(({ found }) => found));

/** How people stand in a plan, and how they have ended, with the rows that the table shows then. */
type PeopleTiles = readonly (readonly [PeopleEnd, says: string, tone?: Tone | undefined, states?: string])[];

const PLANNED_TILES: PeopleTiles = [
  ['changed', 'change', undefined, 'changed'],
  ['unchanged', 'stay', undefined, 'unchanged'],
  ['left_out', 'left out', 'none', 'left_out'],
  ['attention', 'need attention', 'need', 'attention'],
];
const DONE_TILES: PeopleTiles = [
  ['changed', 'changed', undefined, 'applied'],
  ['taken_back', 'taken back'],
  ['unchanged', 'stay', undefined, 'unchanged'],
  ['left_out', 'left out', 'none', 'skipped'],
  ['pending', 'to go', 'next', 'pending'],
  ['attention', 'need attention', 'need', NEEDING],
];

type TeamFigures = Pick<ChangesObject, 'people' | 'done'>;

/** Everybody, and what becomes of them: the others add up to the first. */
function peopleShares({ people }: TeamFigures, tiles: PeopleTiles): readonly Share[] {
  const by: Share['by'] = tiles === PLANNED_TILES ? '_person' : '_status';
  const parts = tiles.map(([end, says, tone, states]): Share => {
    const rows = people[end];
    // Rows whose change was taken back are no longer told apart by how they have ended.
    const isMixed = end === 'changed' && people.taken_back > 0;
    const filter: Pick<Share, 'by' | 'states'> = isMixed ? {} : { by, states };
    return { says: rows === 1 ? says.replace('need ', 'needs ') : says, rows, tone, ...filter };
  });
  const all = { says: people.all === 1 ? 'person' : 'people', rows: people.all };
  return [all, ...parts.filter(({ rows }) => rows > 0)];
}

/** Changes by what they do, apart: one person may have several. What an undo has taken back is none of them. */
function changeShares({ done }: TeamFigures, words: ChangeWords, of?: Persons): readonly Share[] {
  const shares = words.map(([action, one, several, tone]): Share => {
    const back = of?.persons.filter((each) => each.taken_back && each.action === action).length ?? 0;
    const rows = (done[action] ?? 0) - back;
    // Rows whose change was taken back are no longer told apart by what was done.
    const states = back > 0 ? undefined : action;
    return { says: rows === 1 ? one : several, rows, by: '_action', states, tone, isApart: true };
  });
  return shares.filter(({ rows }) => rows > 0);
}

type Persons = ReportObject['changes'];
type ChangeWords = readonly (readonly [TeamPart, one: string, several: string, Tone])[];

const PLANNED_WORDS: ChangeWords = [
  ['invite', 'invite', 'invites', 'new'],
  ['change_role', 'role', 'roles', 'chg'],
  ['remove', 'removal', 'removals', 'gone'],
];
const DONE_WORDS: ChangeWords = [
  ['invite', 'invited', 'invited', 'new'],
  ['change_role', 'role', 'roles', 'chg'],
  ['remove', 'removed', 'removed', 'gone'],
];

function planShares(plan: PlanObject): readonly Share[] {
  const team = plannedTeam(plan);
  const { length: others } = plan.leavers ?? [];
  const offList: Share = {
    says: 'not on the list',
    rows: others,
    by: '_person',
    states: OFF_LIST,
    isApart: true,
  };
  const shares = [...peopleShares(team, PLANNED_TILES), ...changeShares(team, PLANNED_WORDS)];
  return others === 0 ? shares : [...shares, offList];
}
