import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { rowRangesText } from '../../../../core/row.ts';
import type {
  BatchStatusObject,
  CellSince,
  Edited,
  ListedBatch,
  ListJobChoice,
  ListOrder,
  ListView,
  PlanObject,
  ReportObject,
  WorkView,
} from '../../../api.ts';
import { type Answer, oneAtATime, useAnswer } from '../../parts/asking.tsx';
import { grouped, NEEDING } from '../../parts/figures.ts';
import { acted, ask, asRefused, query, type Refused } from '../../session.ts';
import type { Conditions } from './conditions.ts';
import { useDescribed, useHead, usePlan } from './described.ts';
import { isOfTeam, operationsOf } from './job.ts';

/** What is known of a list from the server, at one time. */
export interface Known {
  readonly name: string;
  /** Undefined for a file that was not brought to the page: it can be looked at, and go on. */
  readonly list: ListView | undefined;
  /** What was started over the list as it is now, or what is nearest to that; undefined before any start. */
  readonly batch: BatchStatusObject | undefined;
  /** What else was started over the same list, the last one first. */
  readonly earlier: readonly ListedBatch[];
  readonly undo?: ListedBatch | undefined;
  /** Of an earlier version, which alone is shown: the list as it is now. */
  readonly now?: ListView | undefined;
  readonly work: WorkView | undefined;
  /** What takes it back. */
  readonly undoing?: WorkView | undefined;
}

/** The newest work about one of these, a list or its batch: what takes it back, or any other. */
export const newestWork = (
  work: readonly WorkView[],
  ids: readonly (string | null | undefined)[],
  isUndo = false,
): WorkView | undefined =>
  work.findLast(
    ({ about, batch, is_undo }) =>
      is_undo === isUndo && (ids.includes(about) || (batch && ids.includes(batch))),
  );

/** What the parts of a list's view know together: the list, what shall be done, and how it goes. */
export type Scene = ReturnType<typeof useScene>;

export function useScene(known: Known) {
  const { list, batch, work, undo } = known;
  const { state, counts, credits } = batch ?? {};
  const isRunning = batch?.running === true || work?.state === 'working';
  const isPlanning = useIsPlanning(known);
  const choice = useChoice(list);
  const { job } = choice;
  const filter = useFilter(known, isPlanning);
  const agreed = useSignal<Agreed>({});
  const selected = useSignal<ReadonlySet<number>>(new Set());
  const only = (isPlanning.value && rangesOf(selected.value)) || undefined;
  // An agreement was about the choice of then. Only those that name their people outlast it.
  useLayoutEffect(() => {
    const { typed, allowed } = agreed.peek();
    agreed.value = { typed, allowed };
  }, [JSON.stringify(job)]);
  const isRead = list !== undefined && (isPlanning.value || isAnew(known));
  // People are not asked about again because of a mend: a team is planned when she wants to start.
  const isAsked = isPlanning.value || (rowsMended(known) > 0 && !isRunning && batch?.changes === undefined);
  const isChosen = list !== undefined && isAsked && operationsOf(job).length > 0;
  const planned = planOf({ file: list?.id, job, only, accept: acceptedIn(agreed.value) });
  const head = useHead(isRead ? list : undefined, job);
  const plan = usePlan(isChosen && planned, head, [acted.value, state, counts]);
  const { ofRows, inView } = usePlansShown(plan, isChosen && only, filter.value);
  // The answer is another object once its question has changed, and so it is about the choice that is shown.
  useEffect(() => {
    if (!isChosen || !plan.waits) choice.see();
  }, [isChosen, plan]);
  const report = { path: `/batches/${batch?.batch}/report` };
  return {
    ...known,
    ...choice,
    isRunning,
    teamPlanned: useTeamPlan({ ...known, isRunning }, ofRows.value, isPlanning.value),
    /** Whether something is to be chosen and started: before the first start, and when she begins again. */
    isPlanning,
    /** What the file is; undefined value until it was read, and where nothing is to be started with it. */
    ...useDescribed(choice, head, plan),
    /** What the job would buy or change in all or the selected rows, before a start and after a mend. */
    planned: ofRows,
    /** The same of the rows that the table is about. */
    plannedInView: inView,
    agreed,
    /** What came of it. It is read from every row, and so not asked for while it runs. */
    report: useAnswer<ReportObject>(batch !== undefined && !isRunning && report, [
      state,
      counts,
      credits,
      undo?.counts,
      acted.value,
    ]),
    isUndoing: useSignal(false),
    /** What a few rows brought that were tried last; undefined where the last work was another one. */
    tried: isPlanning.value && work?.state === 'ended' ? work.sample : undefined,
    selected,
    /** The same as ranges, such as `5,9,12-20`, before a start; undefined where all rows are meant. */
    only,
    opened: useSignal<number | undefined>(undefined),
    filter,
    /** The columns of the table in their order, and what it says of its rows: `12 rows`. */
    inView: useSignal<InView>({ columns: [], rows: '' }),
    /** What was done by the keys alone, to be read aloud. */
    note: useSignal(''),
  };
}

/**
 * The price of other rows stands nowhere. What changes a team is shown until the next plan is there.
 * @param only the rows for which it is planned, undefined for all; false where nothing is planned.
 */
function usePlansShown(plan: Answer<PlanObject>, only: string | undefined | false, filter: Filter) {
  const priced = useRef<string | undefined | false>(false);
  if (only === false || !plan.waits) priced.current = only;
  const isOfTeam = plan.value?.changes !== undefined;
  const isOfOthers = !isOfTeam && (only === false || priced.current !== only);
  const ofRows = isOfOthers ? { ...plan, value: undefined } : plan;
  /** While she selects rows, the table and its tiles are still about all of them. */
  const inView = useRef<PlanObject | undefined>(undefined);
  if (isOfTeam || !only || filter.only !== undefined) inView.current = ofRows.value;
  return { ofRows, inView: inView.current };
}

interface Started extends Known {
  readonly isRunning: boolean;
}

/** The plan of a team stays until its start has a batch, so that the table keeps its place. */
function useTeamPlan({ batch, work, isRunning }: Started, plan: PlanObject | undefined, isPlanning: boolean) {
  const last = useRef<PlanObject | undefined>(undefined);
  const isPlanned = isPlanning && !isRunning;
  const isBegun = work !== undefined && work.state !== 'ended' && work.batch !== batch?.batch;
  if (isPlanned || !isBegun) last.current = isPlanned && plan?.changes !== undefined ? plan : undefined;
  return last.current;
}

interface InView {
  /** Each under the name that stands above it. */
  readonly columns: readonly { readonly name: string; readonly as?: string }[];
  readonly rows: string;
}

function useFilter(known: Known, isPlanning: Signal<boolean>): Signal<Filter> {
  const filter = useSignal<Filter>(EVERYTHING);
  // The link to the rows that need her shows these, whatever was searched and chosen before.
  useSignalEffect(() => {
    const shown = query.value.has('needs') ? NEEDING : query.value.get('show');
    if (shown === null || isAnew(known)) filter.value = EVERYTHING;
    else if (isPlanning.peek()) filter.value = { ...EVERYTHING, is: PLANNED_NEEDING };
    else filter.value = { ...EVERYTHING, where: { _status: shown } };
  });
  return filter;
}

/** Of a longer list nothing is read that its table can be shown without. */
export const MOST_BESIDE = 100_000;

/** The figures of a plan whose rows need attention. */
export const PLANNED_NEEDING = 'invalid,in_doubt';

/** So many are tried first: enough to see what comes back, and what the rest will bring. */
export const TRIED_FIRST = 20;

/** What becomes of each row is asked along, and what a few rows would cost, where a few can be tried. */
function planOf<Order extends { readonly job: ListJobChoice; readonly only: string | undefined }>(
  planOrder: Order,
) {
  const isTried = planOrder.only === undefined && !operationsOf(planOrder.job).some(isOfTeam);
  return { path: '/plan', body: { ...planOrder, each: true, sample: isTried ? TRIED_FIRST : undefined } };
}

/** What never began, was only tried, or was brought anew since is to be chosen still. */
function useIsPlanning(known: Known): Signal<boolean> {
  const { batch, work } = known;
  // A start that was killed has told neither its batch, which it left open, nor a stop.
  const isKilled = work?.stopped === null && batch?.state === 'open';
  const isLeft =
    (work?.batch === null && !isKilled) || work?.stopped?.code === 'plan' || work?.sample !== undefined;
  const isToChoose = batch === undefined || isAnew(known) || (work?.state === 'ended' && isLeft);
  const isPlanning = useSignal(isToChoose);
  useEffect(() => {
    if (work?.state !== 'waiting') isPlanning.value = isToChoose && work?.state !== 'working';
  }, [batch?.batch, isToChoose, work?.id, work?.state]);
  return isPlanning;
}

interface Choice extends Pick<ListView, 'version'> {
  readonly job: ListJobChoice;
}

/**
 * A choice that was made over one of another tab that she has not seen is not kept, and the page says so. She
 * has seen one once its price stands there: an answer on its way may bring it in the moment of her click.
 */
function useChoice(list: ListView | undefined) {
  const keptChoice: Choice = list ?? { job: {}, version: 0 };
  const mine = useSignal<Choice | undefined>(undefined);
  const unkept = useSignal<Refused | undefined>(undefined);
  const keep = useRef(
    oneAtATime(async () => {
      const sent = mine.peek();
      if (sent === undefined) return;
      try {
        const path = `/lists/${list?.id}/job?version=${sent.version}`;
        const { version } = await ask<ListView>(path, { method: 'PUT', body: sent.job, isLook: true });
        // Meanwhile she may have chosen something else, which follows this one.
        mine.value = { job: mine.peek()?.job ?? sent.job, version };
      } catch (error) {
        unkept.value = asRefused(error);
        mine.value = undefined;
      }
    }),
  );
  const newest =
    mine.value !== undefined && mine.value.version >= keptChoice.version ? mine.value : keptChoice;
  const seen = useRef(newest);
  const isSame = JSON.stringify(newest.job) === JSON.stringify(seen.current.job);
  if (newest === mine.value || isSame || unkept.value !== undefined) seen.current = newest;
  return {
    job: newest.job,
    /** Whether she has chosen something in this tab, or something was proposed to her. */
    isMade: mine.value !== undefined,
    unkept: unkept.value,
    see(): void {
      seen.current = newest;
    },
    /** Plans the choice, and shows what it costs. What was only proposed to her is not kept. */
    choose(job: ListJobChoice, isProposed = false): void {
      unkept.value = undefined;
      mine.value = { job, version: seen.current.version };
      if (!isProposed) keep.current();
    },
  };
}

/** Whether nothing was started over this version of the list. */
export const isAnew = ({ list }: Pick<Known, 'list'>): boolean =>
  list?.standing.is === 'changed' || list?.standing.is === 'unstarted';

/** Row numbers as ranges, such as `5,9,12-20`. */
export const rangesOf = (rows: Iterable<number>): string =>
  rowRangesText([...rows].toSorted((one, other) => one - other));

/** What is new of a list that came again and is not started yet; undefined of any other, and of a team. */
export const cameAgain = (scene: Scene): Edited | undefined =>
  scene.list?.standing.is === 'changed' && scene.teamPlanned === undefined ? scene.list.edited : undefined;

/** The cells that say something else than in the start that is shown. */
export const cellsSince = ({ list }: Pick<Known, 'list'>): readonly CellSince[] => list?.standing.cells ?? [];

/** Those whose mend was taken back. */
export const cellsTaken = (known: Pick<Known, 'list'>): readonly CellSince[] =>
  cellsSince(known).filter(({ taken }) => taken);

/** How many rows were mended since that start, or have lost a mend that was started. */
export const rowsMended = (known: Pick<Known, 'list'>): number =>
  new Set(cellsSince(known).map(({ row }) => row)).size;

/**
 * `Start the 2 changed rows`, `Start the 8 new rows`, of a list that was mended or brought again since its
 * last start; undefined where other rows are asked as well.
 */
export function changedWords(scene: Pick<Known, 'list'>, toBuy: number): string | undefined {
  const { added = 0, changed = 0 } = changedIn(scene);
  if (toBuy === 0 || toBuy > added + changed) return undefined;
  const how = [added > 0 && 'new', changed > 0 && 'changed'].filter(Boolean).join(' and ');
  // The button has room for so many words.
  if (how.includes(' ')) return `Start ${grouped(toBuy)} ${how}`;
  return toBuy === 1 ? `Start the ${how} row` : `Start the ${grouped(toBuy)} ${how} rows`;
}

const changedIn = ({ list }: Pick<Known, 'list'>): Partial<NonNullable<ListView['edited']>> =>
  list?.standing.is === 'changed' ? (list.edited ?? {}) : { changed: rowsMended({ list }) };

export interface OfScene {
  readonly scene: Scene;
}

export interface OfPlan extends OfScene {
  readonly plan: PlanObject;
}

/** What `--accept` takes of her answers. */
export const acceptedIn = ({ accept, asksAside }: Agreed): readonly string[] => [
  ...(accept === undefined ? [] : [accept]),
  ...(asksAside ? ['shared-host'] : []),
];

export interface Agreed {
  readonly accept?: string;
  /** Rows that are set aside for a host of several companies are asked. */
  readonly asksAside?: boolean;
  /** What was answered before is read again, or bought again. */
  readonly yes?: boolean;
  /** Typed before these people lose what they have. */
  readonly typed?: { readonly about: string; readonly words: string } | undefined;
  /** The guards that may be passed, each by the people of whom it spoke. */
  readonly allowed?: readonly string[] | undefined;
}

/** What of the table is shown, as `status` takes it. */
export interface Filter {
  readonly search: string;
  /** A column; with a `-` before its name the other way round. */
  readonly sort: string | undefined;
  /** Values by columns; `_status` may have several states with commas between them. */
  readonly where: Readonly<Record<string, string>>;
  /** Of a list that came again, one part of it. */
  readonly since?: ListOrder['since'];
  /** Only these rows, such as `5,9,12-20`, which she has selected. */
  readonly only?: string | undefined;
  /** Before a start, the rows of these figures of the plan. */
  readonly is?: ListOrder['is'];
  /** Before a start, the rows with a wrong cell in that column, and those that she mends among them. */
  readonly wrong?: Wrong | undefined;
  /** Conditions by columns, as a job has them. */
  readonly only_if: Conditions;
  readonly unless: Conditions;
  /** A column, and the one from which it differs. */
  readonly differs: Readonly<Record<string, string>>;
}

export type Wrong = Pick<NonNullable<ListOrder['wrong']>, 'column' | 'which'>;

export const EVERYTHING: Filter = {
  search: '',
  sort: undefined,
  where: {},
  only_if: {},
  unless: {},
  differs: {},
};

export const hasConditions = ({ only_if, unless, differs }: Filter): boolean =>
  [only_if, unless, differs].some((each) => Object.keys(each).length > 0);

/** The conditions of a start, and no entry where there are none. */
export function conditionsOf({ only_if, unless }: ListJobChoice): Pick<Filter, 'only_if' | 'unless'> {
  return { only_if: only_if ?? {}, unless: unless ?? {} };
}

/**
 * By these, the tiles above the table filter it: how people stand in a plan, what was done with them, how
 * rows have ended, and which were found with another ABN.
 */
export const TILED = ['_person', '_action', '_status', '_differs'] as const;

export const isTiled = (name: string): boolean => TILED.some((each) => each === name);

export const columnsOfHers = ({ described }: Scene): readonly string[] =>
  described.value?.columns.map(({ name }) => name) ?? [];

/** Whether the job, or what was done last, changes people and projects. */
export const isTeam = ({ job, batch, isPlanning }: Scene): boolean =>
  isPlanning.value || batch === undefined ? operationsOf(job).some(isOfTeam) : batch.changes !== undefined;

/** Whether an undo has taken back all that was done by a row. */
export function isTakenBack({ report: { value } }: Scene, row: number): boolean {
  const appliedChanges =
    value?.changes?.persons.filter((each) => each.row === row && each.ended === 'applied') ?? [];
  return appliedChanges.length > 0 && appliedChanges.every(({ taken_back: isBack }) => isBack);
}
