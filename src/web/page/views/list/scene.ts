import { type Signal, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type {
  BatchStatusObject,
  CellSince,
  ListDescription,
  ListedBatch,
  ListJobChoice,
  ListView,
  PlanObject,
  ReportObject,
  UndoPlanObject,
  WorkView,
} from '../../../api.ts';
import { type Asked, oneAtATime, useAsked } from '../../parts/asking.tsx';
import { NEEDING } from '../../parts/figures.ts';
import { acted, ask, asRefused, query, type Refused } from '../../session.ts';
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
  readonly work: WorkView | undefined;
}

/** What the parts of a list's view know together: the list, what shall be done, and how it goes. */
export type Scene = ReturnType<typeof useScene>;

export function useScene(known: Known) {
  const { list, batch, work, undo } = known;
  const { state, counts, credits } = batch ?? {};
  const isRunning = batch?.running === true || work?.state === 'working';
  const isPlanning = useIsPlanning(known);
  const choice = useChoice(list);
  const { job } = choice;
  const filter = useSignal<Filter>(EVERYTHING);
  // The link to the rows that need her shows these, whatever was searched and chosen before.
  useSignalEffect(() => {
    const isNeeding = query.value.has('needs') && !isAnew(known);
    filter.value = isNeeding ? { ...EVERYTHING, where: { _status: NEEDING } } : EVERYTHING;
  });
  const agreed = useSignal<Agreed>({});
  const selected = useSignal<ReadonlySet<number>>(new Set());
  const only = (isPlanning.value && rangesOf(selected.value)) || undefined;
  // An agreement was about the choice of then. Only the typed one names its people itself.
  useLayoutEffect(() => {
    agreed.value = { typed: agreed.peek().typed };
  }, [JSON.stringify(job)]);
  const isRead = list !== undefined && (isPlanning.value || isAnew(known));
  // People are not asked about again because of a mend: a team is planned when she wants to start.
  const isAsked = isPlanning.value || (rowsMended(known) > 0 && !isRunning && batch?.changes === undefined);
  const isChosen = list !== undefined && isAsked && operationsOf(job).length > 0;
  const described = { path: '/plan', body: { file: list?.id, ...readingOf(job) } };
  const planned = { path: '/plan', body: { file: list?.id, job, only, accept: acceptedIn(agreed.value) } };
  const plan = useAnswer<PlanObject>(isChosen && planned, [acted.value, state, counts], REST_MS);
  // The answer is another object once its question has changed, and so it is about the choice that is shown.
  useEffect(() => {
    if (!isChosen || !plan.waits) choice.see();
  }, [isChosen, plan]);
  const report = { path: `/batches/${batch?.batch}/report` };
  const undone = { path: '/undo', body: { batch: batch?.batch, dry_run: true } };
  return {
    ...known,
    ...choice,
    isRunning,
    /** Whether something is to be chosen and started: before the first start, and when she begins again. */
    isPlanning,
    /** What the file is; undefined value until it was read, and where nothing is to be started with it. */
    described: useAnswer<ListDescription>(isRead && described, acted.value),
    /** What the job would buy or change in all or the selected rows, before a start and after a mend. */
    planned: plan,
    agreed,
    /** What came of it. It is read from every row, and so not asked for while it runs. */
    report: useAnswer<ReportObject>(batch !== undefined && !isRunning && report, [
      state,
      counts,
      credits,
      acted.value,
    ]),
    isUndoing: useSignal(false),
    /** What an undo has left as it was changed; undefined value where nothing was taken back. */
    undone: useAnswer<UndoPlanObject>(batch?.undone_by?.finished === true && undone, undo?.counts),
    /** What a few rows brought that were tried last; undefined where the last work was another one. */
    tried: isPlanning.value && work?.state === 'ended' ? work.sample : undefined,
    selected,
    /** The same as ranges, such as `5,9,12-20`, before a start; undefined where all rows are meant. */
    only,
    opened: useSignal<number | undefined>(undefined),
    filter,
  };
}

/** What never began, was only tried, or was brought anew since is to be chosen still. */
function useIsPlanning(known: Known): Signal<boolean> {
  const { batch, work } = known;
  const isLeft = work?.batch === null || work?.stopped?.code === 'plan' || work?.sample !== undefined;
  const isToChoose = batch === undefined || isAnew(known) || (work?.state === 'ended' && isLeft);
  const isPlanning = useSignal(isToChoose);
  useEffect(() => {
    if (work?.state !== 'waiting') isPlanning.value = isToChoose && work?.state !== 'working';
  }, [batch?.batch, isToChoose, work?.id, work?.state]);
  return isPlanning;
}

/** How long she may go on choosing before it is planned. */
const REST_MS = 250;

/** @param asked false as long as nothing is to be asked. */
const useAnswer = <T>(
  asked: { readonly path: string; readonly body?: object } | false,
  again: unknown,
  delayMs = 0,
): Asked<T> =>
  useAsked<T>(
    (signal) => (asked ? ask(asked.path, { ...asked, signal, isLook: true }) : new Promise(() => {})),
    [JSON.stringify([asked, again])],
    { delayMs },
  ).value;

interface Choice extends Pick<ListView, 'version'> {
  readonly job: ListJobChoice;
}

/**
 * A choice that was made over one of another tab that she has not seen is not kept, and the page says so. She
 * has seen one once its price stands there: an answer on its way may bring it in the moment of her click.
 */
function useChoice(list: ListView | undefined) {
  const kept: Choice = list ?? { job: {}, version: 0 };
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
  const newest = mine.value !== undefined && mine.value.version >= kept.version ? mine.value : kept;
  const seen = useRef(newest);
  const isSame = JSON.stringify(newest.job) === JSON.stringify(seen.current.job);
  if (newest === mine.value || isSame || unkept.value !== undefined) seen.current = newest;
  return {
    job: newest.job,
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

function rangesOf(rows: ReadonlySet<number>): string {
  const ranges: { first: number; last: number }[] = [];
  for (const row of [...rows].toSorted((one, other) => one - other)) {
    const range = ranges.at(-1);
    if (range?.last === row - 1) range.last = row;
    else ranges.push({ first: row, last: row });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join();
}

/** The cells that say something else than in the start that is shown. */
export const cellsSince = ({ list }: Pick<Known, 'list'>): readonly CellSince[] => list?.standing.cells ?? [];

/** Those whose mend was taken back. */
export const cellsTaken = (known: Pick<Known, 'list'>): readonly CellSince[] =>
  cellsSince(known).filter(({ taken }) => taken);

/** How many rows were mended since that start, or have lost a mend that was started. */
export const rowsMended = (known: Pick<Known, 'list'>): number =>
  new Set(cellsSince(known).map(({ row }) => row)).size;

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
}

/** What of the table is shown, as `status` takes it. */
export interface Filter {
  readonly search: string;
  /** A column; with a `-` before its name the other way round. */
  readonly sort: string | undefined;
  /** Values by columns; `_status` may have several states with commas between them. */
  readonly where: Readonly<Record<string, string>>;
}

export const EVERYTHING: Filter = { search: '', sort: undefined, where: {} };

/** The ways to read a list, as the commands take them beside its id. */
export const readingOf = ({ read, country }: ListJobChoice): object => ({ ...read, country });

export const columnsOfHers = ({ described }: Scene): readonly string[] =>
  described.value?.columns.map(({ name }) => name) ?? [];

/** Whether the job, or what was done last, changes people and projects. */
export const isTeam = ({ job, batch, isPlanning }: Scene): boolean =>
  isPlanning.value || batch === undefined ? operationsOf(job).some(isOfTeam) : batch.changes !== undefined;

/** What is planned for a team, until it is started. */
export const teamPlan = ({ isPlanning, isRunning, planned }: Scene): PlanObject | undefined =>
  isPlanning.value && !isRunning && planned.value?.changes !== undefined ? planned.value : undefined;

/** Whether an undo has taken back what was done by a row. A project that was made for it stays. */
export const isTakenBack = ({ undone: { value } }: Scene, row: number): boolean => {
  const left = value?.not_undone.filter(({ subject }) => !subject.startsWith('project ')) ?? [];
  return value !== undefined && ![...left, ...value.changes].some((each) => each.row === row);
};
