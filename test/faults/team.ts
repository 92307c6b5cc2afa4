import type { Random } from '../../src/sandbox/random.ts';
import { type Lane, LOSSY_UNREFUSING, requireCode, type Stage, type Tally, UNHURRIED } from './kills.ts';
import type { DoubtView } from './ledger-view.ts';
import { doubtfulFaults, rowsLost } from './promises.ts';
import { emailsOf, TeamWorkplace, type Wanted } from './team-workplace.ts';
import { nameOf, type VendorTeam } from './vendor-team.ts';

const PROJECTS = ['proj-north', 'proj-south', 'proj-east', 'proj-west'];
const ROLES = ['viewer', 'editor'];

/** Whoever is not in the sheet any more is removed, however many they are. */
const JOB = { remove_missing: true, guards: { max_removals: '100%' } };

/**
 * A sheet of people is onboarded, then edited and onboarded again, over and over: roles change, people leave and come.
 * Each sheet is killed until it ends by itself, over a vendor that loses answers. Then the vendor's state is held against
 * the sheet: before the doubts are settled at most one invite a person and project, and exactly that of the sheet
 * wherever the ledger is sure; after they are settled by looking at the service, the sheet and nothing else.
 */
export async function openSheets(rows: number, { name, random }: Lane, tally: Tally): Promise<Stage> {
  const team = await TeamWorkplace.open({ ...UNHURRIED, job: JOB });
  const { place, vendor } = team;
  const people = peopleOf(name, rows);
  let [before, sheet]: [readonly Wanted[], readonly Wanted[]] = [[], []];
  let stateBefore = await team.state();
  return {
    place,
    write: async () => {
      [before, sheet] = [sheet, editedSheet(people, sheet, random)];
      team.writeSheet(sheet);
      stateBefore = await team.state();
      await vendor.setFaults(LOSSY_UNREFUSING);
      return team.order();
    },
    run: (order, kill) => kill(order),
    judge: async () => {
      await vendor.setFaults();
      requireCode(await team.runHere(), [0, 3]);
      const lost = rowsLost(place, 'team.csv');
      const unsettled = await team.state();
      const sure = sheet.filter((_, index) => place.statuses()[index] !== 'in_doubt');
      tally.doubts.found += place.ledger().inDoubt;
      await runToTheEnd(team);
      const settled = await team.state();
      const requests = await team.requests();
      await team.runHere();
      tally.see('people in sheets', sheet.length);
      tally.forbid({
        'people invited twice to a project': unsettled.invitedTwice().length + settled.invitedTwice().length,
        'people not as the sheet says, no doubt': differences(unsettled, sure),
        'people not as the sheet says in the end': differences(settled, sheet),
        'people whom no sheet has': Math.max(Object.keys(settled.roles()).length - sheet.length, 0),
        'rows lost': lost,
        'requests without an intent': Math.max(requests - place.ledger().attempts, 0),
        'sheets that did something once more': Number((await team.requests()) > requests),
      });
      await countMails();
    },
    close: async () => {
      tally.doubts.lost += await doubtfulFaults(place);
    },
    [Symbol.asyncDispose]: () => team[Symbol.asyncDispose](),
  };

  /** One mail for everybody who is new in a project or has another role there than before, and none for the others. */
  async function countMails(): Promise<void> {
    const now = await team.state();
    const roles = new Map(before.map((wanted) => [nameOf(wanted), wanted.role]));
    const wanted = new Map(sheet.map((each) => [nameOf(each), each.role]));
    for (const each of new Map([...before, ...sheet].map((one) => [nameOf(one), one])).values()) {
      const { project = '', email } = each;
      const mails = now.mailsTo(project, email).length - stateBefore.mailsTo(project, email).length;
      const role = wanted.get(nameOf(each));
      const due = role !== undefined && roles.get(nameOf(each)) !== role ? 1 : 0;
      tally.see('mails', mails);
      tally.forbid({ 'mails for which there was no reason': Math.max(mails - due, 0) });
    }
  }
}

/** One in five is in two projects. */
function peopleOf(name: string, count: number): readonly Omit<Wanted, 'role'>[] {
  const emails = emailsOf(name, count);
  return emails.map((email, index) => {
    const known = index % 5 === 4 ? emails[index - 1] : undefined;
    return { email: known ?? email, project: PROJECTS[index % PROJECTS.length] ?? '' };
  });
}

/** Some 9 in 10 are in it; half of those who were before have another role. */
function editedSheet(
  people: readonly Omit<Wanted, 'role'>[],
  before: readonly Wanted[],
  random: Random,
): readonly Wanted[] {
  const roles = new Map(before.map((wanted) => [nameOf(wanted), wanted.role]));
  return people.flatMap((person) => {
    const drawn = random.pick(ROLES);
    const role = random.fraction() < 0.5 ? (roles.get(nameOf(person)) ?? drawn) : drawn;
    return random.fraction() < 0.9 ? [{ ...person, role }] : [];
  });
}

function differences(state: VendorTeam, wanted: readonly Wanted[]): number {
  return wanted.filter(({ project = '', email, role }) => state.standing(project, email)?.role !== role)
    .length;
}

// ------------------------------------------------------------------------------------------------ doubts

/** A vendor that loses nothing any more leaves one round; a doubt that this does not end is a bug. */
const MOST_ROUNDS = 4;

/** Types the command, and settles what is in doubt, until nothing is. */
async function runToTheEnd(team: TeamWorkplace): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    requireCode(await team.runHere(), [0, 3]);
    if ((await settleByHand(team)) === 0) return;
  }
  throw new Error(`in doubt after ${MOST_ROUNDS} rounds: ${JSON.stringify(team.place.ledger().doubts)}`);
}

/** Decides about every call in doubt as a person does who looks at the service. @returns how many there were. */
async function settleByHand(team: TeamWorkplace): Promise<number> {
  const { place } = team;
  const { doubts } = place.ledger();
  const state = await team.state();
  for (const doubt of doubts) {
    const happened = answerOf(doubt, state);
    const decision = happened === undefined ? ['--retry'] : ['--answer', happened];
    const words = ['settle', doubt.batch, String(doubt.row), ...decision];
    const { stdout, stderr } = await place.typeHere([...words, '--store', place.path('store'), '--json']);
    if (!/"calls":1\b/.test(stdout)) throw new Error(`settle said ${stdout}${stderr}`);
  }
  return doubts.length;
}

/** What the service would have answered, had the answer not been lost; undefined where it did nothing, or where a repeat is harmless. */
function answerOf(doubt: DoubtView, state: VendorTeam): string | undefined {
  const { operation, project = '', parameters } = doubt;
  const { email = '', role = '' } = parameters;
  const isThere = operation === 'create-invite' && state.standing(project, email)?.role === role;
  return isThere ? `invite_code=${state.inviteCode(project, email, role)}` : undefined;
}
