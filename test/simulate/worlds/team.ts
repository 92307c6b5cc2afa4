/**
 * A team: a list of some eight people in two or three projects, three to six commands over it as people type them, with crashes, moods of
 * the service and rests between them. In the end all is well, a person settles what is in doubt by what they see at the service, and
 * everybody of the list is where it says, or its row says truly why not.
 */
import fs from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import { Watch } from '../invariants.ts';
import { calm, type Weather, weathers, weatherWords } from '../network.ts';
import { HOUR_MS, MINUTE_MS, objectIn, type Typed, type, waitUntil } from '../people.ts';
import { promise, type WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import {
  type Manner,
  manners,
  moodWords,
  ORGANIZATION,
  type Role,
  SERVICE,
  SERVICE_KEY,
  Service,
  type ServiceMood,
  serviceMoods,
  WELL,
} from '../service.ts';
import type { Ended, Stage } from '../stage.ts';
import { TeamJudge, type Wish } from '../team-judge.ts';

// ------------------------------------------------------------------------------------------------ what may happen

const PEOPLE = ['kim', 'jo', 'ann', 'lee', 'mei', 'tom', 'ava', 'ben', 'zoe', 'ida'] as const;
const emailOf = (who: number): string => `${PEOPLE[who % PEOPLE.length]}@acme.example`;

const PROJECTS = { Alpha: 'p-alpha', Beta: 'p-beta' } as const;
/** It does not exist, and only some jobs may make it. */
const NEW_PROJECT = 'Gamma';

interface Person {
  readonly who: number;
  readonly role: Role;
  readonly projects: readonly string[];
}

const roles: Arbitrary<Role> = fc.constantFrom('viewer', 'editor', 'admin');
const who = fc.nat(PEOPLE.length - 1);
const cells = fc.constantFrom(['Alpha'], ['Beta'], ['Alpha', 'Beta'], [NEW_PROJECT]);
const person: Arbitrary<Person> = fc.record({ who, role: roles, projects: cells });
const people = (minLength: number, maxLength: number): Arbitrary<readonly Person[]> =>
  fc.uniqueArray(person, { minLength, maxLength, selector: (each) => each.who });

interface Job {
  readonly removesMissing: boolean;
  readonly makesProjects: boolean;
  readonly inDoubt: 'hold' | 'skip';
  /** Named on the command line instead. */
  readonly hasNone: boolean;
}

const jobs: Arbitrary<Job> = fc.record({
  removesMissing: fc.boolean(),
  makesProjects: fc.boolean(),
  inDoubt: fc.constantFrom('hold', 'hold', 'skip'),
  hasNone: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
});

interface Edit {
  readonly left: readonly number[];
  readonly put: readonly Person[];
  /** Whether the user ids are in it, as the service shows them. */
  readonly hasIds: boolean;
}

const edits: Arbitrary<Edit> = fc.record({
  left: fc.uniqueArray(who, { maxLength: 3 }),
  put: people(0, 3),
  hasIds: fc.boolean(),
});

type Deed =
  | { readonly kind: 'run' | 'refresh' | 'plan' | 'undo' }
  /** Before the next run, or beside one, so long after it began. */
  | { readonly kind: 'pause'; readonly afterMs: number }
  | { readonly kind: 'edit'; readonly edit: Edit }
  | { readonly kind: 'forget'; readonly who: number }
  | { readonly kind: 'settle'; readonly how: 'truth' | 'retry' | 'skip' };

const deeds: Arbitrary<Deed> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('run') }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('edit'), edit: edits }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undo') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('plan') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('refresh') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pause'), afterMs: fc.constantFrom(0, 20, 200, 1_000, 9_000) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget'), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle'),
      how: fc.constantFrom('truth', 'truth', 'retry', 'skip'),
    }),
  },
);

const MOST_PASSAGES = 1_500;

const faults: Arbitrary<readonly Fault[]> = fc.array(
  fc.record({
    at: fc.integer({ min: 1, max: MOST_PASSAGES }),
    when: fc.constantFrom('before', 'after'),
    what: fc.oneof(
      fc.constantFrom<Fault['what']>({ kind: 'kill' }, { kind: 'power' }),
      fc.constant<Fault['what']>({ kind: 'signal', name: 'SIGINT' }),
      fc.constantFrom(5_000, HOUR_MS).map((ms): Fault['what'] => ({ kind: 'sleep', ms })),
      fc.constantFrom(-HOUR_MS, HOUR_MS, 30 * HOUR_MS).map((ms): Fault['what'] => ({ kind: 'clock', ms })),
    ),
  }),
  { maxLength: 2 },
);

interface Step {
  readonly restMs: number;
  /** Who accept before it, and while it runs: after that many requests. */
  readonly accept: readonly number[];
  readonly mood: ServiceMood;
  readonly weather: Weather;
  readonly faults: readonly Fault[];
  readonly deed: Deed;
}

const steps: Arbitrary<Step> = fc.record({
  restMs: fc.constantFrom(0, 1_000, HOUR_MS, 50 * HOUR_MS),
  accept: fc.uniqueArray(who, { maxLength: 3 }),
  mood: serviceMoods,
  weather: weathers,
  faults,
  deed: deeds,
});

interface History {
  readonly manner: Manner;
  /** Who is in the organization before it begins. */
  readonly members: readonly number[];
  /** Who is in their projects before it begins, of whom no one has told us. */
  readonly there: readonly Person[];
  readonly acceptances: readonly { readonly who: number; readonly afterRequests: number }[];
  readonly job: Job;
  readonly people: readonly Person[];
  readonly steps: readonly Step[];
}

const history: Arbitrary<History> = fc.record({
  manner: manners,
  members: fc.uniqueArray(who, { maxLength: 3 }),
  there: people(0, 2),
  acceptances: fc.array(fc.record({ who, afterRequests: fc.integer({ min: 1, max: 30 }) }), { maxLength: 3 }),
  job: jobs,
  people: people(6, 9),
  steps: fc.array(steps, { minLength: 3, maxLength: 6 }),
});

// ------------------------------------------------------------------------------------------------ its words

const namesOf = (them: readonly number[]): string => them.map((each) => PEOPLE[each] ?? '').join(', ');
const personWords = ({ who: one, role, projects }: Person): string =>
  `${PEOPLE[one]} as ${role} in ${projects.join('; ')}`;

function deedWords(deed: Deed): string {
  switch (deed.kind) {
    case 'edit': {
      const { left, put, hasIds } = deed.edit;
      const words = [`without ${namesOf(left)}`, ...put.map(personWords), ...(hasIds ? ['with ids'] : [])];
      return `an edited list (${words.join(', ')}) is run`;
    }
    case 'forget':
      return `forget ${PEOPLE[deed.who]}`;
    case 'settle':
      return `settle by ${deed.how}`;
    case 'pause':
      return deed.afterMs === 0 ? 'pause and run' : `run, paused after ${deed.afterMs} ms`;
    default:
      return deed.kind;
  }
}

function stepWords({ restMs, accept, mood, weather, faults: struck, deed }: Step): string {
  const accepting = accept.length > 0 ? `${namesOf(accept)} accept; ` : '';
  const how = struck.map(
    ({ at, when, what }) => `; ${what.kind}${'ms' in what ? ` ${what.ms}` : ''} ${when} passage ${at}`,
  );
  return `after ${restMs} ms: ${accepting}${moodWords(mood)}${weatherWords(weather)}; ${deedWords(deed)}${how.join('')}`;
}

function words({
  manner,
  members,
  there,
  acceptances,
  job,
  people: list,
  steps: all,
}: History): readonly string[] {
  return [
    `the service: ${JSON.stringify(manner)}; members ${namesOf(members)}`,
    `there already: ${there.map(personWords).join(', ')}`,
    ...acceptances.map(({ who: one, afterRequests }) => `${PEOPLE[one]} accepts at request ${afterRequests}`),
    `the job: ${JSON.stringify(job)}`,
    `the list: ${list.map(personWords).join(', ')}`,
    ...all.map(stepWords),
  ];
}

// ------------------------------------------------------------------------------------------------ the play

const CONCURRENCY = 4;
const JOB_FILE = 'team.yaml';
const LIST_FILE = 'team.csv';

function writeAccount(stage: Stage): void {
  const team = {
    vendor: 'service',
    base_url: SERVICE,
    key: SERVICE_KEY,
    organization_id: ORGANIZATION,
    limits: { per_second: 50, concurrency: CONCURRENCY },
  };
  stage.write('config/accounts.yaml', JSON.stringify({ accounts: { team } }));
}

function writeJob(stage: Stage, { removesMissing, makesProjects, inDoubt }: Job): void {
  const job = {
    operation: 'onboard',
    account: 'team',
    columns: { email: 'Email', role: 'Role', project: 'Project', user_id: 'User_ID' },
    projects: PROJECTS,
    create_projects: makesProjects,
    remove_missing: removesMissing,
    guards: { max_removals: 100, max_invites: 100, admins: 'allow' },
    in_doubt: inDoubt,
  };
  stage.write(JOB_FILE, JSON.stringify(job));
}

const runWords = ({ hasNone }: Job): readonly string[] =>
  hasNone
    ? [
        ...['onboard', LIST_FILE, '--account', 'team', '--allow-admin'],
        ...Object.entries(PROJECTS).flatMap(([name, id]) => ['--project', `${name}=${id}`]),
      ]
    : [JOB_FILE, LIST_FILE];

type Json = Readonly<Record<string, unknown>>;

export interface Told {
  readonly ended: Ended;
  readonly object: Json;
}

class TeamPlay {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #service: Service;
  readonly #judge: TeamJudge;
  readonly #watch: Watch;
  #people: readonly Person[];
  #hasIds = false;

  constructor(stage: Stage, seed: number, history: History) {
    const { manner, members, there, acceptances, people: list, job } = history;
    const accepting = acceptances.map(({ who: one, ...at }) => ({ email: emailOf(one), ...at }));
    this.#stage = stage;
    this.#history = history;
    this.#people = list;
    this.#service = new Service(seed, manner, members.map(emailOf), accepting);
    for (const [name, id] of Object.entries(PROJECTS)) this.#service.projects.set(id, name);
    for (const { who: one, role, projects } of there)
      for (const name of projects) this.#service.add(name, emailOf(one), role);
    stage.vendors.set(SERVICE, this.#service);
    const removesMissing = job.removesMissing && !job.hasNone;
    this.#judge = new TeamJudge(stage, this.#service, { removesMissing });
    this.#watch = new Watch(stage, CONCURRENCY);
    writeAccount(stage);
    writeJob(stage, job);
    this.#write();
  }

  async play(): Promise<void> {
    await this.#run();
    for (const step of this.#history.steps) await this.#step(step);
    await this.#finish();
  }

  async #step({ restMs, accept, mood, weather, faults: struck, deed }: Step): Promise<void> {
    await this.#stage.rest(restMs);
    for (const one of accept) this.#service.accept(emailOf(one));
    this.#service.mood = mood;
    this.#stage.weather = weather;
    await this.#do(deed, struck);
    await this.#watch.requireShown();
    this.#service.mood = WELL;
    this.#stage.weather = calm;
  }

  async #do(deed: Deed, struck: readonly Fault[]): Promise<void> {
    switch (deed.kind) {
      case 'run':
        await this.#run(struck);
        return;
      case 'edit':
        this.#edit(deed.edit);
        await this.#run(struck);
        return;
      case 'plan':
        await this.#planned(struck);
        return;
      case 'undo':
        await this.#undo(struck);
        return;
      case 'refresh':
        await this.#run(struck, ['--refresh']);
        return;
      case 'pause':
        await this.#pause(deed.afterMs, struck);
        return;
      case 'forget':
        await this.#forget(emailOf(deed.who), struck);
        return;
      case 'settle':
        await this.#settle(deed.how);
    }
  }

  // -------------------------------------------------------------------------------------------- the list

  #edit({ left, put, hasIds }: Edit): void {
    const gone = new Set([...left, ...put.map(({ who: one }) => one)]);
    this.#people = [...this.#people.filter(({ who: one }) => !gone.has(one)), ...put];
    this.#hasIds = hasIds;
    this.#write();
  }

  #write(): void {
    const rows = this.#people.map(
      (each) => `${emailOf(each.who)},${each.role},${each.projects.join('; ')},${this.#idOf(each)}\n`,
    );
    this.#stage.write(LIST_FILE, `Email,Role,Project,User_ID\n${rows.join('')}`);
    this.#judge.wishes = this.#people.flatMap(({ who: one, role, projects }): Wish[] =>
      projects.map((project) => ({ email: emailOf(one), role, project })),
    );
  }

  /** Of a person who is in all of these projects. */
  #idOf({ who: one, projects }: Person): string {
    const email = emailOf(one);
    const isThere = projects.every((name) => {
      const project = this.#service.projectNamed(name) ?? '';
      return this.#service.standing(project, email)?.kind === 'member';
    });
    return this.#hasIds && isThere ? this.#service.userId(email) : '';
  }

  // -------------------------------------------------------------------------------------------- commands

  async #type(
    typed: readonly string[],
    kind: 'run' | 'undo' | 'other',
    struck: readonly Fault[] = [],
    beside: readonly Typed[] = [],
  ): Promise<Told> {
    this.#judge.begin(kind);
    const ended = await (kind === 'other'
      ? type(this.#stage, typed, struck)
      : this.#watch.run(typed, struck, beside));
    const told = { ended, object: (ended.how === 'ended' && objectIn<Json>(ended.stdout)) || {} };
    this.#judge.end(told);
    return told;
  }

  #run(
    struck: readonly Fault[] = [],
    more: readonly string[] = [],
    beside: readonly Typed[] = [],
  ): Promise<Told> {
    const typed = ['run', ...runWords(this.#history.job), '--yes', '--json', ...more];
    return this.#type(typed, 'run', struck, beside);
  }

  async #pause(afterMs: number, struck: readonly Fault[]): Promise<void> {
    const pause = { words: ['pause', 'last', '--json'], afterMs };
    if (afterMs === 0) await this.#type(pause.words, 'other');
    await this.#run(struck, [], afterMs === 0 ? [] : [pause]);
    await this.#type(['resume', 'last', '--json'], 'other');
  }

  async #planned(struck: readonly Fault[]): Promise<void> {
    const plan = await this.#type(['plan', ...runWords(this.#history.job), '--json'], 'other');
    const { id } = plan.object;
    if (typeof id !== 'string') return;
    const run = await this.#run(struck, ['--plan', id]);
    this.#judge.requireAsPlanned(plan, run);
  }

  async #undo(struck: readonly Fault[]): Promise<void> {
    const undone = await this.#type(['undo', 'last', '--yes', '--json'], 'undo', struck);
    this.#judge.requireUndone(undone);
    this.#judge.requireAllNamed(undone);
  }

  async #forget(email: string, struck: readonly Fault[]): Promise<void> {
    const { ended } = await this.#type(['forget', email, '--yes', '--json'], 'other', struck);
    this.#judge.forgotten(email, ended);
  }

  /** Somebody who looks at the service, once nothing is on its way any more. */
  async #settle(how: 'truth' | 'retry' | 'skip'): Promise<void> {
    await this.#stage.rest(10 * MINUTE_MS);
    const { object } = await this.#type(['status', '--json'], 'other');
    for (const { batch, counts } of (object.batches ?? []) as readonly BatchShown[]) {
      if (counts.in_doubt === 0) continue;
      // A row may be in doubt in several projects; one of them is shown at a time.
      for (let times = 0; times < PROJECTS_OF_A_ROW; times += 1) {
        const listed = await this.#type(['settle', batch, '--json'], 'other');
        const doubts = (listed.object.in_doubt ?? []) as readonly DoubtShown[];
        if (doubts.length === 0) break;
        for (const doubt of doubts) await this.#decide(batch, doubt, how);
      }
    }
  }

  /** Rows that were left out are listed no more, but whoever waits for them names them. @returns whether any was settled. */
  async #settleNamed({ output }: Json): Promise<boolean> {
    const text = typeof output === 'string' ? fs.readFileSync(output, 'utf8') : '';
    const named = new Set(
      [...text.matchAll(/row (\d+) of batch (\w+)/gi)].map(([, row, batch]) => `${batch} ${row}`),
    );
    let hasSettled = false;
    for (const each of named) {
      const [batch = '', row = ''] = each.split(' ');
      const { object } = await this.#type(['settle', batch, row, '--json'], 'other');
      for (const doubt of (object.in_doubt ?? []) as readonly DoubtShown[]) {
        await this.#decide(batch, doubt, 'truth');
        hasSettled = true;
      }
    }
    return hasSettled;
  }

  async #decide(batch: string, doubt: DoubtShown, how: 'truth' | 'retry' | 'skip'): Promise<void> {
    const { row, project, parameters } = doubt;
    const decision = {
      truth: this.#truth(doubt),
      retry: ['--retry', '--extra-credits', '0'],
      skip: ['--skip'],
    };
    if (how === 'retry') this.#judge.mayRepeat(project ?? '', String(parameters.email ?? ''));
    await this.#type(['settle', batch, String(row), ...decision[how], '--json'], 'other');
  }

  #truth({ operation, project, parameters }: DoubtShown): readonly string[] {
    const { email, invite_code: code, role, user_id: user, name } = parameters;
    const of = project ?? '';
    switch (operation) {
      case 'create-project': {
        const id = this.#service.projectNamed(String(name));
        return id === undefined ? ['--not-done'] : ['--answer', `project_id=${id}`];
      }
      case 'create-invite': {
        const standing = this.#service.standing(of, String(email));
        // Whoever is there with another role is there by another invite.
        if (standing === undefined || standing.role !== role) return ['--not-done'];
        if (standing.kind === 'member') return ['--answer', `user_id=${this.#service.userId(String(email))}`];
        return ['--answer', `invite_code=${this.#service.invite(of, String(email))?.code}`];
      }
      case 'delete-invite':
        return FATES[this.#service.fateOf(String(code))];
      default: {
        const now = this.#service.roleOf(of, String(user));
        const isDone = operation === 'update-user' ? now === role : now === undefined;
        return isDone ? ['--answer', 'done=true'] : ['--not-done'];
      }
    }
  }

  // -------------------------------------------------------------------------------------------- the end

  /** All is well, and the same command is typed until nothing is left to do. */
  async #finish(): Promise<void> {
    this.#stage.startMs = this.#judge.firstDayMs;
    let atRest = 0;
    for (let times = 1; ; times += 1) {
      promise(times <= MOST_RUNS, 'the list does not end');
      await this.#settle('truth');
      const { ended, object } = await this.#run();
      const { stopped } = object as { readonly stopped?: StopShown | null };
      if (stopped?.resume_at) waitUntil(this.#stage, stopped.resume_at);
      const isAtRest = this.#judge.isAtRest(ended, object);
      const hasSettled = await this.#settleNamed(object);
      atRest = isAtRest && !hasSettled ? atRest + 1 : 0;
      // The first one may go on with a plan that was made while much was in doubt.
      if (atRest > 1) return this.#judge.requireAllWell(object);
      this.#stage.tell(ended.stdout);
    }
  }
}

/** What a person says of a deletion who knows what became of the invite. */
const FATES = {
  waits: ['--not-done'],
  // It was not done, and a next run is told that the invite is not there.
  accepted: ['--not-done'],
  deleted: ['--answer', 'deleted=true'],
} as const;

const MOST_RUNS = 8;
const PROJECTS_OF_A_ROW = 2;

interface BatchShown {
  readonly batch: string;
  readonly counts: { readonly in_doubt: number };
}

interface StopShown {
  readonly resume_at: string | null;
}

interface DoubtShown {
  readonly row: number;
  readonly operation: string;
  readonly project: string | null;
  readonly parameters: Json;
}

const team: WorldKind<History> = {
  name: 'team',
  history,
  words,
  play: (stage, drawn) => new TeamPlay(stage, stage.seed, drawn).play(),
};

export default team;
