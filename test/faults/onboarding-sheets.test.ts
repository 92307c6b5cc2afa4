import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { proof, times } from '../combinations.ts';
import { OpenTeam } from './open-team.ts';
import { emailsOf, TeamWorkplace, type Wanted } from './team-workplace.ts';
import { nameOf, type Role } from './vendor-team.ts';

/*
 * Goal: a sheet says how things should be. Where people who are missing from it are removed, sheet A and then sheet B
 * leave what B alone leaves, and only the difference is sent; where they are not, nobody is touched who is only in A.
 * Method: random pairs of sheets over few people, projects and roles, from a generator with a fixed seed, so that people
 * leave, come, stay and change roles in every mixture. Each round has projects of its own, and a twin of them in which B
 * is all that ever happened. The vendor's state is compared, and its requests are counted against the difference.
 */

/** Eight cells in each of two sheets: all nine ways from one to the other occur several times. */
const ROUNDS = 8;

/** Few, so that the sheets overlap; each may be in either project. */
const EMAILS = emailsOf('sheet', 4);
const PROJECTS = ['north', 'south'];
const ROLES: readonly Role[] = ['viewer', 'editor'];

/** Removing everybody is what such a sheet may ask for. */
const REMOVING = { remove_missing: true, guards: { max_removals: '100%' } };

/** What a sheet wants, without saying in which round. */
type Sheet = readonly Wanted[];

let team: TeamWorkplace;
let open: OpenTeam;

beforeAll(async () => {
  team = await TeamWorkplace.open();
  open = await OpenTeam.open(team);
});

afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

describe.each(Array.from({ length: times(1, ROUNDS) }, (_, round) => round))(
  'sheets of round %i',
  (round) => {
    const random = randomFrom('sheets', round);
    const [a, b] = [randomSheet(random), randomSheet(random)];

    test('A, B, A with remove_missing: each is as if it were alone, and only the difference is sent', async () => {
      const edited = new Round(`removing-${round}`, REMOVING);
      const alone = new Round(`alone-${round}`, REMOVING);
      await edited.run(a);
      await alone.run(b);
      expect(await edited.run(b), 'requests from A to B').toBe(requestsFrom(a, b, { removing: true }));
      expect(await edited.roles()).toEqual(wantedBy(b));
      expect(await edited.roles()).toEqual(await alone.roles());
      expect(await edited.run(b), 'requests of the same sheet again').toBe(0);
      expect(await edited.run(a), 'requests from B to A').toBe(requestsFrom(b, a, { removing: true }));
      expect(await edited.roles()).toEqual(wantedBy(a));
    });

    proof('A, B without it: nobody is touched who is only in A', async () => {
      const kept = new Round(`keeping-${round}`, {});
      await kept.run(a);
      expect(await kept.run(b), 'requests').toBe(requestsFrom(a, b, { removing: false }));
      expect(await kept.roles()).toEqual({ ...wantedBy(a), ...wantedBy(b) });
    });
  },
);

/** Projects that nobody else has, and a sheet that is edited in place. */
class Round {
  readonly #name: string;

  constructor(name: string, job: object) {
    this.#name = name;
    const projects = Object.fromEntries(PROJECTS.map((project) => [project, this.#idOf(project)]));
    const columns = { email: 'Email', role: 'Role', project: 'Project' };
    team.writeJob({ columns, projects, ...job }, `${name}.yaml`);
  }

  /** @returns how many requests it took. */
  async run(sheet: Sheet): Promise<number> {
    const input = `${this.#name}.csv`;
    team.writeSheet(sheet, input);
    const before = await team.requests();
    const { stopped } = await open.run({ job: `${this.#name}.yaml`, input, output: `${this.#name}-out.csv` });
    if (stopped !== undefined) throw stopped;
    return (await team.requests()) - before;
  }

  /** Who is in the round's projects, by the vendor, named as the sheets do. */
  async roles(): Promise<Readonly<Record<string, Role>>> {
    const state = await team.state();
    expect(state.invitedTwice()).toEqual([]);
    const people = PROJECTS.flatMap((project) =>
      EMAILS.flatMap((email) => {
        const standing = state.standing(this.#idOf(project), email);
        return standing === undefined ? [] : [[nameOf({ project, email }), standing.role] as const];
      }),
    );
    return Object.fromEntries(people);
  }

  #idOf(project: string): string {
    return `proj-${this.#name}-${project}`;
  }
}

/** Every person in every project with a chance of 2 in 3; a list without rows asks for nothing, so there is one. */
function randomSheet(random: Random): Sheet {
  const sheet = PROJECTS.flatMap((project) =>
    EMAILS.flatMap((email) =>
      random.fraction() < 2 / 3 ? [{ email, project, role: random.pick(ROLES) }] : [],
    ),
  );
  return sheet.length > 0 ? sheet : [{ email: random.pick(EMAILS), project: 'north', role: 'viewer' }];
}

function wantedBy(sheet: Sheet): Readonly<Record<string, Role>> {
  return Object.fromEntries(sheet.map((wanted) => [nameOf(wanted), wanted.role as Role]));
}

/** An invite is one request, another role is two (the invite is deleted and created anew), and so is leaving one. */
function requestsFrom(before: Sheet, after: Sheet, { removing }: { readonly removing: boolean }): number {
  const [old, wanted] = [wantedBy(before), wantedBy(after)];
  const changed = Object.entries(wanted).map(([name, role]) => {
    if (old[name] === undefined) return 1;
    return old[name] === role ? 0 : 2;
  });
  const left = Object.keys(old).filter((name) => wanted[name] === undefined).length;
  return changed.reduce((sum: number, each) => sum + each, removing ? left : 0);
}
