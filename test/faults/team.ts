import type { Random } from '../../src/sandbox/random.ts';
import { runToTheEnd } from './hand-settling.ts';
import {
  type KillDrive,
  killOnce,
  killsIn,
  type Lane,
  LOSSY_UNREFUSING,
  newTally,
  type Settings,
  type TableLine,
  wasKilled,
} from './kills.ts';
import { doubtfulFaults } from './promises.ts';
import { emailsOf, TeamWorkplace, type Wanted } from './team-workplace.ts';
import { nameOf, type VendorTeam } from './vendor-team.ts';

/**
 * A sheet of people is onboarded, then edited and onboarded again, over and over: roles change, people leave and come.
 * Each sheet is killed until it ends by itself, over a vendor that loses answers. Then the vendor's state is held against
 * the sheet: before the doubts are settled at most one invite a person and project, and exactly that of the sheet
 * wherever the ledger is sure; after they are settled by looking at the service, the sheet and nothing else.
 */

/** Slow enough that most kills find requests on their way, fast enough that the next sheet comes. */
const LATENCY_MS = 40;
const WINDOW_MS = 350;
const CONCURRENCY = 4;

/** Then a new store is begun, because after each kill the next start checks all that is in it. */
const SHEETS_A_STORE = 8;

const PROJECTS = ['proj-north', 'proj-south', 'proj-east', 'proj-west'];
const ROLES = ['viewer', 'editor'];

/** Whoever is not in the sheet any more is removed, however many they are. */
const JOB = { remove_missing: true, guards: { max_removals: '100%' } };

interface Broken {
  /** People with two invites to a project, or invited although they are in it. */
  invitedTwice: number;
  /** People of whom the ledger is sure, and who are not in the project as the sheet says. */
  notAsSheet: number;
  /** The same when all doubts are settled, and people whom the sheet does not have. */
  notAsSheetAtTheEnd: number;
  /** Mails for which no sheet had a reason. */
  mailsTooMany: number;
  rowsLost: number;
  requestsWithoutIntent: number;
  /** Sheets that found something to do when they were run once more. */
  notAtRest: number;
}

export class TeamKills implements KillDrive {
  readonly #settings: Settings;
  readonly #tally = newTally();
  readonly #broken: Broken = {
    invitedTwice: 0,
    notAsSheet: 0,
    notAsSheetAtTheEnd: 0,
    mailsTooMany: 0,
    rowsLost: 0,
    requestsWithoutIntent: 0,
    notAtRest: 0,
  };
  lists = 0;
  #inDoubt = 0;
  #faults = 0;
  #mails = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  get kills(): number {
    return killsIn(this.#tally);
  }

  get #isDone(): boolean {
    return this.kills >= this.#settings.kills;
  }

  async run(lane: Lane): Promise<void> {
    for (let store = 1; !this.#isDone; store += 1) {
      await using team = await TeamWorkplace.open({
        latencyMs: LATENCY_MS,
        concurrency: CONCURRENCY,
        job: JOB,
      });
      await this.#fillStore(team, { ...lane, name: `${lane.name}-store-${store}` });
    }
  }

  async #fillStore(team: TeamWorkplace, { name, random }: Lane): Promise<void> {
    const people = peopleOf(name, this.#settings.rows);
    let before: readonly Wanted[] = [];
    for (let sheets = 0; sheets < SHEETS_A_STORE && !this.#isDone; sheets += 1) {
      const sheet = editedSheet(people, before, random);
      team.writeSheet(sheet);
      const mailsBefore = await team.state();
      await this.#workThrough(team, random);
      await this.#judge(team, sheet);
      this.#countMails(before, sheet, mailsBefore, await team.state());
      before = sheet;
      this.lists += 1;
    }
    this.#faults += await doubtfulFaults(team.place);
  }

  /** The same command, killed and typed again until the sheet is done. */
  async #workThrough(team: TeamWorkplace, random: Random): Promise<void> {
    await team.vendor.setFaults(LOSSY_UNREFUSING);
    const plan = { random, windowMs: WINDOW_MS };
    while (!this.#isDone && wasKilled(await killOnce(team.place, team.order(), plan, this.#tally)));
    await team.vendor.setFaults();
  }

  async #judge(team: TeamWorkplace, sheet: readonly Wanted[]): Promise<void> {
    const { code, stderr } = await team.runHere();
    if (code !== 0 && code !== 3) throw new Error(`the run ended with ${code}: ${stderr}`);
    const broken = this.#broken;
    broken.rowsLost += rowsLost(team, sheet);
    const unsettled = await team.state();
    const sure = sheet.filter((_, index) => team.place.statuses()[index] !== 'in_doubt');
    broken.notAsSheet += differences(unsettled, sure);
    broken.invitedTwice += unsettled.invitedTwice().length;
    this.#inDoubt += team.place.ledger().inDoubt;

    await runToTheEnd(team);
    const settled = await team.state();
    broken.notAsSheetAtTheEnd += differences(settled, sheet);
    broken.notAsSheetAtTheEnd += Math.max(Object.keys(settled.roles()).length - sheet.length, 0);
    broken.invitedTwice += settled.invitedTwice().length;
    const { requests } = await team.vendor.book();
    const sent = team.place.ledger().attempts;
    broken.requestsWithoutIntent += Math.max(requests - sent, 0);
    await team.runHere();
    if ((await team.requests()) > requests) broken.notAtRest += 1;
  }

  /** One mail for everybody who is new in a project or has another role there than before, and none for the others. */
  #countMails(before: readonly Wanted[], sheet: readonly Wanted[], old: VendorTeam, now: VendorTeam): void {
    const roles = new Map(before.map((wanted) => [nameOf(wanted), wanted.role]));
    for (const wanted of new Map([...before, ...sheet].map((each) => [nameOf(each), each])).values()) {
      const { project = '', email } = wanted;
      const mails = now.mailsTo(project, email).length - old.mailsTo(project, email).length;
      const isWanted = sheet.some((each) => nameOf(each) === nameOf(wanted));
      const due = isWanted && roles.get(nameOf(wanted)) !== wanted.role ? 1 : 0;
      this.#mails += mails;
      this.#broken.mailsTooMany += Math.max(mails - due, 0);
    }
  }

  /** Doubts come from what a kill left open and from what the vendor lost, and from nowhere else. */
  isKept(): boolean {
    const { open, mostOpen } = this.#tally;
    const none = Object.values(this.#broken).every((times) => times === 0);
    return none && this.#inDoubt <= open + this.#faults && mostOpen <= CONCURRENCY;
  }

  table(): readonly TableLine[] {
    const { landed, open, mostOpen } = this.#tally;
    const broken = this.#broken;
    return [
      ['kills', `${this.kills} (before the work ${landed.before}, in it ${landed.during})`],
      ['sheets', `${this.lists} of up to ${this.#settings.rows} people, each brought to its end`],
      ['mails', this.#mails],
      ['  for which there was no reason', broken.mailsTooMany],
      ['people invited twice to a project', broken.invitedTwice],
      ['people not as the sheet says, no doubt', broken.notAsSheet],
      ['  when all doubts were settled', broken.notAsSheetAtTheEnd],
      ['rows lost', broken.rowsLost],
      ['requests without an intent', broken.requestsWithoutIntent],
      ['sheets that did something once more', broken.notAtRest],
      ['changes in doubt, settled by hand', this.#inDoubt],
      ['  left open by kills', `${open}, at most ${mostOpen} by one (concurrency ${CONCURRENCY})`],
      ['  answers lost by the vendor', this.#faults],
    ];
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

function rowsLost(team: TeamWorkplace, sheet: readonly Wanted[]): number {
  const back = team.place.rows();
  const kept = sheet.filter(({ email, role }, index) => {
    const row = back[index];
    return row?.Email === email && row.Role === role && !['', 'pending', undefined].includes(row._status);
  });
  return sheet.length - kept.length + Math.abs(back.length - sheet.length);
}
