import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type {
  CellSince,
  ListJobChoice,
  ListRows,
  ListView,
  Mend,
  PlanObject,
  TableObject,
} from '../../../api.ts';
import { arriving } from '../../parts/arriving.ts';
import { isLeft } from '../../parts/figures.ts';
import { type Line, Lines, PART, type Portion, type Read } from '../../parts/lines.ts';
import { acted, beat, look } from '../../session.ts';
import { type Columns, operationsOf, readingOf } from './job.ts';
import type { Mending } from './mends/mends.tsx';
import {
  cellsTaken,
  EVERYTHING,
  type Filter,
  hasConditions,
  isAnew,
  isTeam,
  isTiled,
  MOST_BESIDE,
  type Scene,
} from './scene.ts';
import { OFF_LIST, type TeamRow, teamRows } from './team.ts';

/** The rows of the list: as its file has them, and with their answers as soon as something was started. */

/** What was started over the list as it is now. */
export const batchStarted = (scene: Scene): string | undefined =>
  scene.teamPlanned !== undefined || isAnew(scene) ? undefined : scene.batch?.batch;

/**
 * The batch whose table is shown. While she plans a start, it is that of the list as it is now, with all that
 * is known. So tiles, marks and faults are the same before a first start and behind a try.
 */
export const batchShown = (scene: Scene): string | undefined =>
  isAhead(scene) ? undefined : batchStarted(scene);

const isAhead = (scene: Scene): boolean =>
  scene.list !== undefined && scene.isPlanning.value && !scene.isRunning && !isTeam(scene);

function isWhole(filter: Filter): boolean {
  const { since, is, wrong, only, where } = filter;
  const isPart = (since ?? is ?? wrong ?? only) !== undefined || Object.keys(where).length > 0;
  return !isPart && !hasConditions(filter);
}

/** By what the rows of a list are judged, and what of them is known already. */
interface Ahead {
  readonly job?: ListJobChoice | undefined;
  readonly asked?: Columns;
  readonly plan?: string | undefined;
}

/**
 * Before a start, what is known by what she has chosen stands in the cells, which are judged by what is
 * asked.
 */
function useOfList(scene: Scene, judgedBy: Columns, mending: Mending) {
  const path = `lists/${scene.list?.id}/rows`;
  const job = operationsOf(scene.job).length > 0 ? scene.job : undefined;
  const plan = scene.plannedInView?.id;
  const ahead = useRef<Ahead>({});
  ahead.current = { job, asked: judgedBy, plan };
  // What a row becomes was planned before the start, and holds while it runs.
  const started = useRef<string | undefined>(undefined);
  started.current = plan ?? started.current;
  const file = ({ wrong, is, where, ...of }: Filter): Read => {
    // How rows have ended is known of a batch alone.
    const listConditions = Object.entries(where).filter(([name]) => !isTiled(name));
    return async (page) => {
      // What she mends stays in its place, so that the rows below do not move while she types.
      const faulty = wrong && { ...wrong, with: mending.rowsIn(wrong.column) };
      const { current: known } = ahead;
      const ofPlan = known.plan === undefined ? undefined : is;
      const order = {
        ...page,
        ...of,
        ...known,
        where: Object.fromEntries(listConditions),
        is: ofPlan,
        wrong: faulty,
      };
      return withResults(await look<ListRows>(path, order));
    };
  };
  const judged: Read = (page) => look<ListRows>(path, { ...page, asked: judgedBy, plan: started.current });
  const { list, batch } = scene;
  const isJudged = list && !isTeam(scene) && (batch?.rows ?? 0) <= MOST_BESIDE;
  return { ahead, file, judged: isJudged ? judged : undefined };
}

/** @param judgedBy by which columns is asked, by their inputs. */
export function useRows(scene: Scene, judgedBy: Columns, mending: Mending): Lines {
  const { list, described, batch, isRunning } = scene;
  const filter = scene.filter.value;
  const shown = batchShown(scene);
  const isCheap = filter.search === '' && filter.sort === undefined;
  const isOrdered = isCheap && isWhole(filter);
  // What is wrong with rows that were not asked yet stays in sight.
  const isStill = isRunning || isLeft(batch);
  const plan = scene.teamPlanned;
  const people = useMemo(() => plan && teamRows(plan).filter((row) => isShown(row, filter)), [plan, filter]);
  const team = useRef<Team>({ people: [], columns: {}, mends: [] });
  if (plan && people) team.current = { people, columns: plan.columns, mends: list?.mends ?? [] };
  // Rows are asked for when the server has the choice, because it reads the file by that.
  const source = shown ?? [list?.id, list?.at, readingOf(list?.job ?? {})];
  const taken = useRef(cellsTaken(scene));
  taken.current = cellsTaken(scene);
  const { ahead, file, judged } = useOfList(scene, judgedBy, mending);
  const rows = useMemo((): Lines => {
    const wrong = filter.wrong && file({ ...EVERYTHING, wrong: filter.wrong });
    if (plan !== undefined)
      return new Lines(
        ofTeam(file(EVERYTHING), wrong, () => team.current),
        false,
      );
    if (shown !== undefined)
      return new Lines(
        ofBatch(shown, filter, () => taken.current, isStill && isOrdered ? judged : undefined),
        isOrdered,
      );
    return new Lines(file(filter), isOrdered, isOrdered ? beginningOf(list) : undefined);
  }, [JSON.stringify([source, plan !== undefined, filter, isStill])]);
  rows.atLeast = described.value?.rows ?? 0;
  const again = shown
    ? JSON.stringify([batch?.counts, isRunning, taken.current, acted.value])
    : (people ?? JSON.stringify([described.value, ahead.current, acted.value]));
  // Rows that leave a filter would take the field away in which she types.
  const isHeld = mending.isOpen && !isOrdered && filter.wrong === undefined;
  useEffect(() => {
    if (!isHeld) rows.renew();
  }, [rows, again, isHeld]);
  useSignalEffect(() => {
    if (beat.value > 0 && isRunning && isCheap && shown !== undefined) rows.renew();
  });
  // Reading it draws the table anew with each part that comes.
  void rows.changed.value;
  return rows;
}

/** The first rows of a list that was brought just now, as they were shown while the others came. */
function beginningOf(list: ListView | undefined): Portion | undefined {
  const { list: brought, beginning: { columns, first = [] } = {} } = arriving.value ?? {};
  const last = first.at(-1)?.row;
  const isSame = brought !== undefined && brought.id === list?.id && brought.at === list.at;
  return isSame && columns && last ? { columns, rows: first, next: last + 1, last: null } : undefined;
}

function isShown({ part, end, email, project }: TeamRow, { search, where }: Filter): boolean {
  const words = `${email} ${project}`.toLowerCase();
  const { _action = part, _person: person } = where;
  return (
    _action === part &&
    (person ?? end ?? OFF_LIST) === (end ?? OFF_LIST) &&
    words.includes(search.toLowerCase())
  );
}

/** @param judged what is wrong with rows that were not asked yet, as it stood there before the start. */
function ofBatch(
  batch: string,
  filter: Filter,
  taken: () => readonly CellSince[],
  judged: Read | undefined,
): Read {
  return async (page) => {
    const table: TableObject = await look('status', { batch, ...page, ...ofStart(filter) });
    const portion = withResults(withoutMends(table, taken()));
    const listPortion = await judged?.({ ...page, from: table.rows[0]?.row });
    if (listPortion === undefined) return portion;
    const status = portion.columns.findIndex(({ name, from }) => from === 'ours' && name === '_status');
    const before = new Map(listPortion.rows.map((line) => [line.row, line]));
    const rows = portion.rows.map((line): Line => {
      const { faults, becomes } = (line.cells[status] === 'pending' && before.get(line.row)) || {};
      return { ...line, faults, becomes };
    });
    return { ...portion, rows };
  };
}

/** What was filtered by a plan is over with the start. */
const ofStart = ({ is: _, wrong: __, only: ___, since: ____, ...filter }: Filter): Filter => filter;

/**
 * A row whose mend was taken back says what her list says now. What was found for it answers the mend, and
 * stands there no more.
 */
function withoutMends(table: TableObject, taken: readonly CellSince[]): TableObject {
  const { columns } = table;
  const rows = table.rows.map((line) => {
    const rowMends = taken.filter(({ row }) => row === line.row);
    if (rowMends.length === 0) return line;
    const cells = columns.map(({ name, from }, at) => {
      if (from === 'ours') return '';
      if (from !== 'list') return '';
      return rowMends.find(({ column }) => column === name)?.value ?? line.cells[at] ?? '';
    });
    return { row: line.row, cells, says: { all: TAKEN_BACK, steps: {} } };
  });
  return { ...table, rows };
}

const TAKEN_BACK = 'its mend was taken back, so it is asked with the next start';

/** What a row has found stands in lines of its own below it, in columns behind all others. */
function withResults({
  columns,
  result_columns: names = [],
  rows,
  ...more
}: TableObject | ListRows): Portion {
  const before = columns.map(() => '');
  return {
    ...more,
    columns: [...columns, ...names.map((name) => ({ name, from: 'bought' as const, isBelow: true }))],
    rows: rows.flatMap((row): Line[] => {
      const results = row.results ?? [];
      // A row that is gone has the number that it had then.
      const numberedRow = 'since' in row && row.since === 'gone' ? { ...row, row: 0 } : row;
      return [numberedRow, ...results.map((cells) => ({ row: 0, cells: [...before, ...cells] }))];
    }),
  };
}

export const HAPPENS = 'What happens';

interface Team {
  readonly people: readonly TeamRow[];
  /** Input ← column. */
  readonly columns: PlanObject['columns'];
  readonly mends: readonly Mend[];
}

type Own = Pick<Line, 'cells' | 'faults'>;

/**
 * The people of a team before the start, with the cells of those whom the list names.
 * @param wrong the only rows that are wanted; left out: any.
 */
function ofTeam(file: Read, wrong: Read | undefined, team: () => Team): Read {
  // Her file stays as it is while the plan changes.
  const rows = new Map<number, Own>();
  let columns: Portion['columns'] | undefined;
  let among: ReadonlySet<number> | undefined;
  const fetch = async (from: number): Promise<Portion['columns']> => {
    const got = await file({ from, limit: PART });
    rows.set(from, { cells: [] });
    for (const listRow of got.rows) rows.set(listRow.row, listRow);
    return got.columns;
  };
  return async ({ from = 0, limit }) => {
    if (from === 0) among = wrong && (await numbersIn(wrong));
    const known = team();
    const people = known.people.filter(({ row }) => among?.has(row ?? 0) !== false);
    const shown = people.slice(from, from + limit);
    for (const { row } of shown) if (row !== undefined && !rows.has(row)) columns = await fetch(row);
    columns ??= await fetch(0);
    const names = columns.map(({ name }) => name);
    const end = from + shown.length;
    return {
      columns: [...columns, { name: HAPPENS, from: 'ours' }],
      rows: shown.map((person) => lineOf(known, person, names, rows.get(person.row ?? -1))),
      next: end < people.length ? end : null,
    };
  };
}

async function numbersIn(read: Read): Promise<ReadonlySet<number>> {
  const numbers = new Set<number>();
  for (let from: number | undefined = 0; from !== undefined; ) {
    const { rows, next }: Portion = await read({ from, limit: PART });
    for (const { row } of rows) numbers.add(row);
    from = next ?? undefined;
  }
  return numbers;
}

function lineOf(team: Team, person: TeamRow, names: readonly string[], listLine: Own = { cells: [] }): Line {
  const { row, part, happens } = person;
  const cells = names.map((name, at) => textOf(team, person, name, listLine.cells[at]));
  const faulty = faultyIn(team, person);
  // What was judged is the cell before its mend, and a cell that has to be corrected is a field.
  const judged = Object.entries(listLine.faults ?? {}).filter(([name]) => {
    const at = names.indexOf(name);
    return !faulty.includes(name) && cells[at] === listLine.cells[at];
  });
  return {
    row: row ?? 0,
    cells: [...cells, happens],
    faults: Object.fromEntries(judged),
    planned: { look: part, faulty },
  };
}

function textOf({ columns, mends }: Team, person: TeamRow, column: string, listCell = ''): string {
  const { row } = person;
  if (row !== undefined)
    return mends.find((mend) => mend.row === row && mend.column === column)?.value ?? listCell;
  const input = Object.keys(columns).find((each) => columns[each] === column);
  if (input === 'email' || input === 'project' || input === 'role') return person[input];
  return input === 'project_id' ? person.project : '';
}

/** A fault that names no column is about the row as a whole. */
function faultyIn({ columns }: Team, { row, part, wrong }: TeamRow): readonly string[] {
  if (part !== 'invalid' || row === undefined) return [];
  const named = wrong.flatMap((input) => columns[input] ?? []);
  return named.length > 0 ? named : Object.values(columns);
}
