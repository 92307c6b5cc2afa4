import { useSignalEffect } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { CellSince, ListRows, Mend, PlanObject, TableObject } from '../../../api.ts';
import { type Line, Lines, PART, type Portion, type Read } from '../../parts/lines.ts';
import { acted, beat, look } from '../../session.ts';
import { cellsTaken, EVERYTHING, type Filter, isAnew, readingOf, type Scene, teamPlan } from './scene.ts';
import { type TeamRow, teamRows } from './team.ts';

/** The rows of the list: as its file has them, and with their answers as soon as something was started. */

/** A list that was brought anew is shown as it is now, and a team as it is planned, until it is started. */
export const batchShown = (scene: Scene): string | undefined =>
  teamPlan(scene) !== undefined || isAnew(scene) ? undefined : scene.batch?.batch;

export function useRows(scene: Scene): Lines {
  const { list, described, batch, isRunning } = scene;
  const filter = scene.filter.value;
  const shown = batchShown(scene);
  const isCheap = filter.search === '' && filter.sort === undefined;
  const isOrdered = isCheap && Object.keys(filter.where).length === 0;
  const plan = teamPlan(scene);
  const people = useMemo(() => plan && teamRows(plan).filter((row) => isShown(row, filter)), [plan, filter]);
  const team = useRef<Team>({ people: [], columns: {}, mends: [] });
  if (plan && people) team.current = { people, columns: plan.columns, mends: list?.mends ?? [] };
  // Rows are asked for when the server has the choice, because it reads the file by that.
  const source = shown ?? [list?.id, list?.at, readingOf(list?.job ?? {})];
  const taken = useRef(cellsTaken(scene));
  taken.current = cellsTaken(scene);
  const rows = useMemo((): Lines => {
    const file = (of: Filter): Read => {
      return (page) => look<ListRows>(`lists/${list?.id}/rows`, { ...page, ...of });
    };
    const people = ofTeam(file(EVERYTHING), () => team.current);
    if (plan !== undefined) return new Lines(people, false);
    return new Lines(
      shown === undefined ? file(filter) : ofBatch(shown, filter, () => taken.current),
      isOrdered,
    );
  }, [JSON.stringify([source, plan ? 'team' : filter])]);
  rows.atLeast = described.value?.rows ?? 0;
  const again = shown
    ? JSON.stringify([batch?.counts, isRunning, taken.current, acted.value])
    : (people ?? described.value);
  useEffect(() => rows.renew(), [rows, again]);
  useSignalEffect(() => {
    if (beat.value > 0 && isRunning && isCheap && shown !== undefined) rows.renew();
  });
  // Reading it draws the table anew with each part that comes.
  void rows.changed.value;
  return rows;
}

function isShown({ part, email, project }: TeamRow, { search, where }: Filter): boolean {
  const words = `${email} ${project}`.toLowerCase();
  return (where._action ?? part) === part && words.includes(search.toLowerCase());
}

function ofBatch(batch: string, filter: Filter, taken: () => readonly CellSince[]): Read {
  return async (page) =>
    withResults(withoutMends(await look('status', { batch, ...page, ...filter }), taken()));
}

/**
 * A row whose mend was taken back says what her list says now. What was found for it answers the mend, and
 * stands there no more.
 */
function withoutMends(table: TableObject, taken: readonly CellSince[]): TableObject {
  const { columns } = table;
  const rows = table.rows.map((line) => {
    const own = taken.filter(({ row }) => row === line.row);
    if (own.length === 0) return line;
    const cells = columns.map(({ name, from }, at) => {
      if (from === 'ours') return '';
      if (from !== 'list') return '';
      return own.find(({ column }) => column === name)?.value ?? line.cells[at] ?? '';
    });
    return { row: line.row, cells, says: { all: TAKEN_BACK, steps: {} } };
  });
  return { ...table, rows };
}

const TAKEN_BACK = 'its mend was taken back, so it is asked with the next start';

/** What a row has found stands in lines of its own below it, in columns behind all others. */
function withResults({ columns, result_columns: names = [], rows, ...more }: TableObject): Portion {
  const before = columns.map(() => '');
  return {
    ...more,
    columns: [...columns, ...names.map((name) => ({ name, from: 'bought' as const, isBelow: true }))],
    rows: rows.flatMap((row): Line[] => {
      const results = row.results ?? [];
      return [row, ...results.map((cells) => ({ row: 0, cells: [...before, ...cells] }))];
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

/** The people of a team before the start, with the cells of those whom the list names. */
function ofTeam(file: Read, team: () => Team): Read {
  // Her file stays as it is while the plan changes.
  const cells = new Map<number, readonly string[]>();
  let columns: Portion['columns'] | undefined;
  const fetch = async (from: number): Promise<Portion['columns']> => {
    const got = await file({ from, limit: PART });
    cells.set(from, []);
    for (const { row, cells: own } of got.rows) cells.set(row, own);
    return got.columns;
  };
  return async ({ from = 0, limit }) => {
    const known = team();
    const shown = known.people.slice(from, from + limit);
    for (const { row } of shown) if (row !== undefined && !cells.has(row)) columns = await fetch(row);
    columns ??= await fetch(0);
    const names = columns.map(({ name }) => name);
    const end = from + shown.length;
    return {
      columns: [...columns, { name: HAPPENS, from: 'ours' }],
      rows: shown.map((person) => lineOf(known, person, names, cells.get(person.row ?? -1))),
      next: end < known.people.length ? end : null,
    };
  };
}

function lineOf(team: Team, person: TeamRow, names: readonly string[], own: readonly string[] = []): Line {
  const { row, part, happens } = person;
  const cells = [...names.map((name, at) => textOf(team, person, name, own[at])), happens];
  return { row: row ?? 0, cells, planned: { look: part, faulty: faultyIn(team, person) } };
}

function textOf({ columns, mends }: Team, person: TeamRow, column: string, own = ''): string {
  const { row } = person;
  if (row !== undefined)
    return mends.find((mend) => mend.row === row && mend.column === column)?.value ?? own;
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
