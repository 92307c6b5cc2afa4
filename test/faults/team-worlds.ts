import { existsSync } from 'node:fs';
import type { Random } from '../../src/sandbox/random.ts';
import { settleByHand } from './hand-settling.ts';
import { PROJECT, TeamWorkplace, type Wanted } from './team-workplace.ts';
import type { VendorTeam } from './vendor-team.ts';
import type { OutputRow } from './workplace.ts';

/**
 * A world of an administrator: some lists about the same few people, which are run, undone and cancelled in any order, killed
 * anywhere, before a service that refuses and loses answers. After each step every batch is held against the service's own
 * state: a row that says that it was done, or is so already, and nothing of others since, has to be so.
 */

const PROJECTS = [PROJECT, 'proj-2'];
const ROLES = ['viewer', 'editor'] as const;
const PEOPLE = ['ann', 'bob', 'cid', 'dot'].map((who) => `${who}@team.example`);

/** The jobs of the lists. Each says in its own way what it wants of people. */
const JOBS: Readonly<Record<string, object>> = {
  'onboard.yaml': {},
  'whole.yaml': { remove_missing: true, guards: { max_removals: '100%' } },
  'invite.yaml': {
    operation: 'invite-user',
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
  },
  'roles.yaml': {
    operation: 'change-role',
    columns: { email: 'Email', role: 'Role', project_id: 'Project' },
  },
  'withdraw.yaml': { operation: 'delete-invite', columns: { email: 'Email', project_id: 'Project' } },
};

interface List {
  readonly name: string;
  readonly job: string;
}

/** What `status --json` says of a batch, as far as it is looked at. */
interface BatchLine {
  readonly batch: string;
  readonly state: string;
  readonly operation: string;
  readonly undoes: string | null;
  readonly counts: Readonly<Record<string, number>>;
}

const FAULTS = [
  ...['422', 'charged-reset', 'reset'].flatMap((kind) =>
    ['create-invite', 'delete-invite'].flatMap((operation) => [
      `${kind}@${operation}:x1`,
      `${kind}@${operation}:x2`,
    ]),
  ),
  '404@delete-invite:x1',
];

const CRASH_POINTS = [
  ...[
    'batch-created',
    'after-intent',
    'after-send',
    'after-send',
    'before-record',
    'after-record',
    'after-close',
  ],
  ...['before-row', 'after-row', 'before-finish', 'recovering'],
];

const CONCURRENCY = 2;

export class TeamWorld {
  readonly #team: TeamWorkplace;
  readonly #random: Random;
  readonly #lists: readonly List[];
  /** What was done, to be read when a claim turns out to be false. */
  readonly history: string[] = [];
  /** How many rows were held against the service: a judge that looks at nothing finds nothing. */
  claims = 0;
  /** Whether a person has to look at the service before each list can come to its end. */
  #isUnsure = false;
  #exports = 0;

  private constructor(team: TeamWorkplace, random: Random, lists: readonly List[]) {
    this.#team = team;
    this.#random = random;
    this.#lists = lists;
  }

  static async run(random: Random, steps: number): Promise<TeamWorld> {
    await using team = await TeamWorkplace.open({ concurrency: CONCURRENCY });
    for (const [name, job] of Object.entries(JOBS)) team.writeJob(job, name);
    const jobs = ['onboard.yaml', 'whole.yaml', 'onboard.yaml', random.pick(Object.keys(JOBS))];
    const lists = jobs.map((job, at) => ({ name: `list-${at}`, job }));
    for (const { name, job } of lists) team.writeSheet(sheetOf(random, job), `${name}.csv`);
    const world = new TeamWorld(team, random, lists);
    for (let step = 0; step < steps; step += 1) await world.#step();
    await world.#end();
    return world;
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const chance = random.fraction();
    if (chance < 0.55) await this.#runList(random.pick(this.#lists));
    else if (chance < 0.8) await this.#undo();
    else if (chance < 0.88) await this.#note('settle by hand', () => settleByHand(this.#team, '--not-done'));
    else if (chance < 0.94) await this.#cancel();
    else {
      this.#isUnsure = true;
      const who = random.pick(PEOPLE);
      await this.#note(`${who} accepts`, () => this.#team.vendor.accept(who));
    }
    await this.#judgeAll();
  }

  async #runList(list: List): Promise<void> {
    const more = ['--yes', ...(this.#random.fraction() < 0.15 ? ['--limit', '2'] : [])];
    const words = this.#team.place.words({
      job: list.job,
      input: `${list.name}.csv`,
      output: outputOf(list),
      more,
    });
    const ended = await this.#typed(`run ${list.name} (${list.job})`, words);
    if (ended === undefined) return;
    if (ended.code !== 0 && ended.code !== 3)
      throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
    if (ended.code === 0 && !more.includes('--limit')) await this.#judgeFine(list);
  }

  /** A run that ended with 0 says that all of its list is so. */
  async #judgeFine(list: List): Promise<void> {
    const state = await this.#team.state();
    for (const row of this.#team.place.rows(outputOf(list))) {
      if (!isFine(row) || !isSo(row, state, list.job === 'withdraw.yaml'))
        throw this.#lie('a run that ended with 0', row);
    }
  }

  async #undo(): Promise<void> {
    const batches = await this.#batches();
    if (batches.length === 0) return;
    const { batch } = this.#random.pick(batches);
    const words = ['undo', batch, '--yes', '--json', '--store', this.#team.place.path('store')];
    const ended = await this.#typed(`undo ${batch}`, words);
    // A batch that is unfinished, or that only looked, cannot be undone.
    if (ended !== undefined && ![0, 2, 3].includes(ended.code ?? -1))
      throw new Error(`the undo ended with ${ended.code}: ${ended.stderr}`);
  }

  async #cancel(): Promise<void> {
    const open = (await this.#batches()).filter(({ state }) => state === 'open');
    const [first] = open;
    if (first !== undefined)
      await this.#note(`cancel ${first.batch}`, () => this.#team.json('cancel', first.batch));
  }

  /** Types a command, with a fault or a kill or neither. @returns undefined when it was killed. */
  async #typed(what: string, words: readonly string[]) {
    const { vendor, place } = this.#team;
    const random = this.#random;
    const fault = random.fraction() < 0.4 ? random.pick(FAULTS) : '';
    const crashAt =
      random.fraction() < 0.4 ? `${random.pick(CRASH_POINTS)}:${random.integer(1, 3)}` : undefined;
    await vendor.setFaults(fault);
    if (fault.startsWith('404')) this.#isUnsure = true;
    const ended =
      crashAt === undefined
        ? await place.typeHere(words)
        : await place.type(words, { ROWONCE_CRASH_AT: crashAt }).ended;
    await vendor.setFaults();
    const isKilled = 'signal' in ended && ended.signal !== null;
    this.history.push(
      `${what} [${[fault, crashAt].filter(Boolean).join(' ')}] → ${isKilled ? 'killed' : ended.code}`,
    );
    return isKilled ? undefined : ended;
  }

  async #note(what: string, act: () => Promise<unknown>): Promise<void> {
    this.history.push(what);
    await act();
  }

  async #batches(): Promise<readonly BatchLine[]> {
    if (!existsSync(this.#team.place.path('store/ledger.db'))) return [];
    return (await this.#team.json('status')).batches;
  }

  /** Every batch that there is, as an export of now tells it. */
  async #judgeAll(): Promise<void> {
    const state = await this.#team.state();
    for (const { batch, operation } of await this.#batches()) {
      // A copy that is there already is taken for the user's.
      this.#exports += 1;
      const name = `export-${this.#exports}.csv`;
      const words = ['export', batch, '--copy', '-o', this.#team.place.path(name)];
      const { code, stderr } = await this.#team.type(...words);
      if (code !== 0) throw new Error(`the export ended with ${code}: ${stderr}`);
      for (const row of this.#team.place.rows(name)) {
        if (!isFine(row) || saysOfOthers(row)) continue;
        this.claims += 1;
        if (!isSo(row, state, operation === 'delete-invite'))
          throw this.#lie(`batch ${batch} (${operation})`, row);
      }
    }
  }

  /** When everything is settled and nothing is refused any more, each list comes to its end, and then it says so. */
  async #end(): Promise<void> {
    if (this.#isUnsure) return;
    for (let round = 0; round < 3; round += 1) {
      for (const { undoes, state, counts } of await this.#batches())
        if (undoes !== null && (state === 'open' || (counts.in_doubt ?? 0) > 0))
          await this.#team.json('undo', undoes, '--yes');
      for (const list of this.#lists) await this.#runQuietly(list);
      await settleByHand(this.#team, '--not-done');
    }
    for (const list of this.#lists.filter(({ job }) => job === 'onboard.yaml')) {
      await this.#runQuietly(list);
      const code = await this.#runQuietly(list);
      if (code !== 0)
        throw this.#lie(
          `${list.name} could be as it should be, and its run ended with ${code}`,
          this.#team.place.rows(outputOf(list)).find((row) => !isFine(row) || saysOfOthers(row)),
        );
      await this.#judgeFine(list);
    }
  }

  async #runQuietly(list: List): Promise<number | null> {
    const order = { job: list.job, input: `${list.name}.csv`, output: outputOf(list), more: ['--yes'] };
    const { code } = await this.#team.place.typeHere(this.#team.place.words(order));
    this.history.push(`run ${list.name} quietly → ${code}`);
    return code;
  }

  #lie(who: string, row: OutputRow | undefined): Error {
    const history = this.history.map((each) => `  ${each}`).join('\n');
    return new Error(`${who} says what is not so: ${JSON.stringify(row)}\n${history}`);
  }
}

const outputOf = ({ name }: List): string => `${name}.out.csv`;

/** Each person at most once in a project. */
function sheetOf(random: Random, job: string): readonly Wanted[] {
  const all = PEOPLE.flatMap((email) =>
    PROJECTS.map((project) => ({ email, project, role: random.pick(ROLES) })),
  );
  const some = all.filter(() => random.fraction() < 0.55);
  return job === 'withdraw.yaml' ? some.slice(0, 2) : some.length === 0 ? all.slice(0, 1) : some;
}

const isFine = ({ _status = '' }: OutputRow): boolean => ['applied', 'unchanged'].includes(_status);

function saysOfOthers({ _reason = '' }: OutputRow): boolean {
  return /since then batch|may have (?:deleted|invited|removed|set|done)/.test(_reason);
}

/** Whether the service has the person as the row wants it. A list that withdraws invites has no roles. */
function isSo(row: OutputRow, state: VendorTeam, isWithdrawal: boolean): boolean {
  const standing = state.standing(row.Project ?? row.project_id ?? '', row.Email ?? row.email ?? '');
  const role = row.Role ?? row.role;
  return isWithdrawal || role === 'none' ? standing?.as !== 'invited' : standing?.role === role;
}
