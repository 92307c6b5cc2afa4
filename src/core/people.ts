import type { FactsOf, Findings } from './findings.ts';
import { listed } from './plain-text.ts';

/**
 * People and changes are two words: one person may have changes in several projects. A plan counts the people
 * by what becomes of them, and a batch by what became of them, by the same rule.
 */

/** In the place of a name where root has started a list: root is no person. */
export const UNNAMED = 'this computer';

/** The first of these that is so of one of a person's changes says what becomes of the person. */
export const PEOPLE_ENDS = [
  'attention',
  'pending',
  'changed',
  'taken_back',
  'unchanged',
  'left_out',
] as const;
export type PeopleEnd = (typeof PEOPLE_ENDS)[number];

/** Each person once: the others add up to `all`. */
export type PeopleCounts = Readonly<Record<PeopleEnd | 'all', number>>;

export class People {
  readonly #ends = new Map<string, PeopleEnd>();
  readonly #withAccess = new Set<string>();

  /** @param who one text for one person. @param why what is said of the change. */
  add(who: string, end: PeopleEnd, why: Findings = []): void {
    if (keepsAccess(why)) this.#withAccess.add(who);
    const before = this.#ends.get(who);
    const isFirst = before === undefined || PEOPLE_ENDS.indexOf(end) < PEOPLE_ENDS.indexOf(before);
    if (isFirst) this.#ends.set(who, end);
  }

  /** How many of those who are left out have access, and keep it. */
  get keepAccess(): number {
    return [...this.#withAccess].filter((who) => this.#ends.get(who) === 'left_out').length;
  }

  endOf(who: string): PeopleEnd | undefined {
    return this.#ends.get(who);
  }

  get counts(): PeopleCounts {
    const counts = { all: 0, attention: 0, pending: 0, changed: 0, taken_back: 0, unchanged: 0, left_out: 0 };
    for (const end of this.#ends.values()) {
      counts.all += 1;
      counts[end] += 1;
    }
    return counts;
  }
}

/** A row that names no person that can be read is one that no one else is. */
export const personOfRow = (row: number): string => `row ${row}`;

/** The person of a row that the job leaves out, and where they have access; undefined of any other row. */
export const accessIn = (why: Findings): FactsOf<'access_now'> | undefined =>
  why.find((each) => each.code === 'access_now')?.facts;

export const keepsAccess = (why: Findings): boolean => (accessIn(why)?.places.length ?? 0) > 0;

/** A change of a plan, as far as it names its person. */
interface OfPerson {
  readonly email: string | null;
  readonly user_id?: string | undefined;
  readonly project: string | null;
}

/** Each person with their changes, by a name that says where these are made: `jo@x.com in Sales and Care`. */
export function peopleWith<Of extends OfPerson>(changes: readonly Of[]) {
  const byPerson = Map.groupBy(changes, (change) => whoIn(change)?.toLowerCase() ?? '');
  return [...byPerson.values()].map((personsChanges) => {
    const projects = [...new Set(personsChanges.flatMap(({ project }) => project ?? []))];
    const name = personsChanges.flatMap((change) => whoIn(change) ?? [])[0] ?? 'a person';
    return { name: projects.length > 0 ? `${name} in ${listed(projects)}` : name, changes: personsChanges };
  });
}

export const namesOfPeople = (changes: readonly OfPerson[]): readonly string[] =>
  peopleWith(changes).map(({ name }) => name);

/** Undefined for a change that is about no one who can be named. */
export const whoIn = ({ email, user_id: userId }: Partial<Omit<OfPerson, 'project'>>): string | undefined =>
  email ?? userId;

// ------------------------------------------------------------------------------------------------- of a plan

interface Planned extends OfPerson {
  readonly row: number;
  readonly action: string;
  /** Null where the cells of the row say no role. */
  readonly to: string | null;
  readonly calls?: unknown;
  readonly findings?: Findings;
}

export function plannedPeople(changes: readonly Planned[]): People {
  const people = new People();
  for (const change of changes)
    if (change.action !== 'create_project')
      people.add(plannedPerson(change), plannedEnd(change), change.findings);
  return people;
}

/** A row whose cells cannot be read may name anybody. */
export function plannedPerson({ row, to, findings = [], ...change }: Planned): string {
  const person = to === null ? accessIn(findings) : change;
  return (person && whoIn(person)?.toLowerCase()) ?? personOfRow(row);
}

function plannedEnd({ action, calls }: Planned): PeopleEnd {
  if (calls !== undefined) return 'changed';
  if (action === 'skipped') return 'left_out';
  return action === 'unchanged' ? 'unchanged' : 'attention';
}
