import type { Mend, PlanObject, TableColumnObject } from '../../../api.ts';
import type { Line, Read } from '../../parts/lines.ts';
import { isQuoted, SIGNS, type TeamRow } from './team-words.ts';

export const HAPPENS = 'What happens';

const PART = 100;

/** What a plan does with the people of a team. */
export interface Team {
  readonly people: readonly TeamRow[];
  /** Input ← column. */
  readonly columns: PlanObject['columns'];
  readonly mends: readonly Mend[];
}

/** A team that is not planned yet. */
export const NOBODY: Team = { people: [], columns: {}, mends: [] };

/** The people of a team before the start, with the cells of those whom the list names. */
export function ofTeam(file: Read, team: () => Team): Read {
  // Her file stays as it is while the plan changes.
  const cells = new Map<number, readonly string[]>();
  let columns: readonly TableColumnObject[] | undefined;
  const fetch = async (from: number): Promise<readonly TableColumnObject[]> => {
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
  const hers = names.map((name, at) => ({ name, text: textOf(team, person, name, own[at]) }));
  const cells = [...hers.map(({ text }) => text), happens];
  const planned = { sign: SIGNS[part], look: part, faulty: faultyIn(team, person, hers) };
  return { row: row ?? 0, cells, planned };
}

function textOf({ columns, mends }: Team, person: TeamRow, column: string, own = ''): string {
  const { row } = person;
  if (row !== undefined)
    return mends.find((mend) => mend.row === row && mend.column === column)?.value ?? own;
  const input = Object.keys(columns).find((each) => columns[each] === column);
  if (input === 'email' || input === 'project' || input === 'role') return person[input];
  return input === 'project_id' ? person.project : '';
}

/** A fault that quotes no cell is about a blank one, or about the row as a whole. */
function faultyIn(
  { columns }: Team,
  { row, part, reason }: TeamRow,
  hers: readonly { readonly name: string; readonly text: string }[],
): readonly string[] {
  if (part !== 'invalid' || row === undefined) return [];
  const quoted = hers.filter(({ text }) => isQuoted(text, reason));
  const read = Object.values(columns);
  return (quoted.length > 0 ? quoted : hers).map(({ name }) => name).filter((name) => read.includes(name));
}
