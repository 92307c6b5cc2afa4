import type { Mend, PlanObject, TableColumnObject } from '../../../api.ts';
import { type Line, Lines, type Part, type Read } from '../../parts/lines.ts';
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

/** The people of a team before the start, with the cells of those whom the list names. */
export class TeamLines extends Lines<TableColumnObject> {
  team: Team = { people: [], columns: {}, mends: [] };
  readonly #cells = new Map<number, readonly string[]>();

  constructor(read: Read<TableColumnObject>) {
    super(async (of) => {
      const part = await read(of);
      return { ...part, columns: [...part.columns, { name: HAPPENS, from: 'ours' }] };
    });
  }

  get count(): number {
    return this.team.people.length;
  }

  numberAt(index: number): number | undefined {
    return this.team.people[index]?.row;
  }

  indexOf(row: number): number | undefined {
    const index = this.team.people.findIndex((each) => each.row === row);
    return index === -1 ? undefined : index;
  }

  at(index: number): Line | undefined {
    const person = this.team.people[index];
    if (person === undefined || this.columns === undefined) return undefined;
    const { row, part, happens } = person;
    if (row !== undefined && !this.#cells.has(row)) return undefined;
    const hers = this.columns
      .slice(0, -1)
      .map(({ name }, at) => ({ name, text: this.#text(person, name, at) }));
    const cells = [...hers.map(({ text }) => text), happens];
    return {
      row: row ?? 0,
      cells,
      planned: { sign: SIGNS[part], look: part, faulty: this.#faulty(person, hers) },
    };
  }

  #text(person: TeamRow, column: string, at: number): string {
    const { row } = person;
    const { columns, mends } = this.team;
    if (row !== undefined) {
      const mended = mends.find((mend) => mend.row === row && mend.column === column);
      return mended?.value ?? this.#cells.get(row)?.[at] ?? '';
    }
    const input = Object.keys(columns).find((each) => columns[each] === column);
    if (input === 'email' || input === 'project' || input === 'role') return person[input];
    return input === 'project_id' ? person.project : '';
  }

  /** A fault that quotes no cell is about a blank one, or about the row as a whole. */
  #faulty(
    { row, part, reason }: TeamRow,
    hers: readonly { readonly name: string; readonly text: string }[],
  ): readonly string[] {
    if (part !== 'invalid' || row === undefined) return [];
    const quoted = hers.filter(({ text }) => isQuoted(text, reason));
    const read = Object.values(this.team.columns);
    return (quoted.length > 0 ? quoted : hers).map(({ name }) => name).filter((name) => read.includes(name));
  }

  /** Her file stays as it is, and the people come from the plan. */
  protected forget(): void {}

  protected missing(): (() => Promise<Part<TableColumnObject>>) | undefined {
    const seen = this.team.people.slice(this.seen.from, this.seen.to);
    const next = seen.find(({ row }) => row !== undefined && !this.#cells.has(row));
    if (next === undefined && this.columns !== undefined) return undefined;
    return () => this.#fetch(next?.row ?? 0);
  }

  async #fetch(from: number): Promise<Part<TableColumnObject>> {
    const got = await this.read({ from, limit: PART });
    if (from > 0) this.#cells.set(from, []);
    for (const { row, cells } of got.rows) this.#cells.set(row, cells);
    return got;
  }
}
