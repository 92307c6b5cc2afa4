/**
 * Two lists with blank cells, which several vendors fill: the second asks them in another order. People run, settle what is in doubt and
 * refresh, while keys die, credits run out, budgets are reached, vendors are away and processes are killed. In the end all is well, and
 * both lists must end.
 */
import fs from 'node:fs';
import fc, { type Arbitrary } from 'fast-check';
import {
  bodyOf,
  type Caps,
  type Check,
  cellsOf,
  FillJudge,
  type FillRun,
  type Person,
  type Policy,
  type Step,
} from '../fill-judge.ts';
import {
  CONCURRENCY,
  Finder,
  type Heard,
  keyOf,
  NAMES,
  type Name,
  type Operation,
  PLACES,
  polledIn,
  portOf,
  writeFinders,
} from '../finders.ts';
import { requireForgotten } from '../forgotten.ts';
import { heldBy } from '../invariants/tables.ts';
import { Watch } from '../invariants.ts';
import type { Job } from '../later.ts';
import { calm, type Question, type Weather, weathers, weatherWords } from '../network.ts';
import { DAY_MS, faultWords, HOUR_MS, MINUTE_MS, mishaps, objectIn, timeWords, type } from '../people.ts';
import { Permits } from '../permits.ts';
import { promise, type WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import type { Ended, Stage } from '../stage.ts';
import { type Mood, moods, moodWords, oddMoods, well } from '../vendor.ts';
import { requireWaysOut } from '../ways-out.ts';
import { answersOf, endList } from './histories/end.ts';
import { requireSameExport } from './histories/output.ts';

// ------------------------------------------------------------------------------------------------ what may happen

type ListName = 'a' | 'b';

interface List {
  readonly people: readonly Person[];
  readonly find: readonly Name[];
  readonly check: Check | undefined;
  readonly enrich: readonly Name[];
}

type Deed =
  | { readonly kind: 'run'; readonly list: ListName; readonly isRefresh: boolean }
  | { readonly kind: 'settle'; readonly how: Settled }
  /** Of the person of a row, by the address that stands there or was found. */
  | { readonly kind: 'forget'; readonly list: ListName; readonly row: number };
type Settled = 'truth' | 'skip' | 'retry' | 'no_match';

interface Act {
  readonly restMs: number;
  readonly moods: Readonly<Partial<Record<Name, Mood>>>;
  readonly weather: Weather;
  readonly deed: Deed;
  readonly faults: readonly Fault[];
}

interface History {
  readonly a: List;
  readonly b: List;
  readonly policy: Policy;
  /** Of each batch, of accounts in each batch, and of accounts in a day. */
  readonly credits: number;
  readonly shares: Caps;
  readonly perDay: Caps;
  readonly acts: readonly Act[];
  /** Who accepts a question, and answers later. */
  readonly later: readonly Name[];
  /** Who finds an id first, by which a second question takes what is looked for. */
  readonly ids: readonly Name[];
  /** Of a vendor in one of the acts. */
  readonly odd: { readonly at: number; readonly moods: Act['moods'] } | undefined;
}

const chosen = (minLength: number, maxLength: number): Arbitrary<readonly Name[]> =>
  fc.shuffledSubarray([...NAMES], { minLength, maxLength });

const check: Arbitrary<Check> = fc.record({
  account: fc.constantFrom(...NAMES),
  accept: fc.constantFrom<Check['accept'][]>(['valid'], ['valid', 'accept_all'], ['valid', 'unknown']),
});

const list = (least: number): Arbitrary<List> =>
  fc.record({
    people: fc.array(
      fc.record({
        who: fc.integer({ min: least, max: least + 7 }),
        hasEmail: fc.constantFrom(false, false, false, true),
        hasTitle: fc.constantFrom(false, false, false, true),
      }),
      { minLength: 5, maxLength: 8 },
    ),
    find: chosen(2, 4),
    check: fc.option(check, { nil: undefined }),
    enrich: chosen(0, 2),
  });

const caps = (...of: readonly number[]): Arbitrary<Caps> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom(...of), { maxKeys: 2 }),
    },
  );

/** No calendar is wrong here: other worlds have that. */
const ownMoods = moods.map((mood) => (mood.kind === 'calendar' ? well : mood));
const ownMishaps = mishaps.map((all) => all.filter(({ what }) => what.kind !== 'clock'));

const deeds: Arbitrary<Deed> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('run' as const),
      list: fc.constantFrom<ListName[]>('a', 'a', 'b'),
      isRefresh: fc.constantFrom(false, false, false, false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      how: fc.constantFrom<Settled[]>('truth', 'truth', 'skip', 'retry', 'no_match'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('forget' as const),
      list: fc.constantFrom<ListName[]>('a', 'b'),
      row: fc.nat({ max: 4 }),
    }),
  },
);

const act: Arbitrary<Act> = fc.record({
  restMs: fc.constantFrom(MINUTE_MS, 15 * MINUTE_MS, 5 * HOUR_MS, 2 * DAY_MS),
  moods: fc.dictionary(fc.constantFrom(...NAMES), ownMoods, { maxKeys: 3 }),
  weather: fc.oneof({ weight: 2, arbitrary: fc.constant(calm) }, { weight: 1, arbitrary: weathers }),
  deed: deeds,
  faults: ownMishaps,
});

const MOST_ACTS = 6;

const odd = fc.record({
  at: fc.nat(MOST_ACTS - 1),
  moods: fc.dictionary(fc.constantFrom(...NAMES), oddMoods, { minKeys: 1, maxKeys: 2 }),
});

const withOdd = (acts: readonly Act[], odd: History['odd']): readonly Act[] =>
  acts.map((act, at) => (at === odd?.at ? { ...act, moods: { ...act.moods, ...odd.moods } } : act));

// ------------------------------------------------------------------------------------------------ its words

function deedWords(deed: Deed): string {
  if (deed.kind === 'settle') return deed.how;
  const more = deed.kind === 'forget' ? `, row ${deed.row}` : deed.isRefresh ? ' --refresh' : '';
  return `${deed.list}${more}`;
}

function actWords({ restMs, moods, weather, deed, faults }: Act): string {
  return [
    `${timeWords(restMs)} later: ${deed.kind} ${deedWords(deed)}`,
    ...Object.entries(moods).map(([name, mood]) => `${name}: ${moodWords(mood)}`),
    ...(weather === calm ? [] : [`network: ${weatherWords(weather)}`]),
    ...faults.map(faultWords),
  ].join('; ');
}

const personWords = ({ who, hasEmail, hasTitle }: Person): string =>
  `${who}${hasEmail ? ' with an address' : ''}${hasTitle ? ' with a title' : ''}`;

const listWords = ({ people, find, check, enrich }: List): string =>
  [
    `find-email by ${find.join(', ')}`,
    ...(check === undefined ? [] : [`checked by ${check.account}: ${check.accept.join(', ')}`]),
    `enrich-person by ${enrich.join(', ') || 'nobody'}`,
    people.map(personWords).join(', '),
  ].join('; ');

// ------------------------------------------------------------------------------------------------ the play

const COLUMNS = { first_name: 'First', last_name: 'Last', domain: 'Site' };
const ENOUGH = 1000;
/** For what the job sends again. */
const EXTRA = 4;
/** What is on its way when a process dies still arrives. */
const ARRIVED_MS = MINUTE_MS;
/** No vendor works longer on what it has accepted. */
const ALL_ANSWERED_MS = HOUR_MS;

class FillPlay {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #judge: FillJudge;
  readonly #watch: Watch;
  readonly #permits: Permits;
  readonly #answers: Partial<Record<ListName, string>> = {};
  #policy: Policy;
  #credits: number;
  #shares: Caps;
  #perDay: Caps;

  constructor(stage: Stage, history: History) {
    this.#stage = stage;
    this.#history = history;
    ({ policy: this.#policy, credits: this.#credits, shares: this.#shares, perDay: this.#perDay } = history);
    this.#watch = new Watch(stage, CONCURRENCY);
    this.#permits = new Permits(stage);
    const watched = stage.onLeft;
    this.#judge = new FillJudge(stage, this.#watch);
    stage.onLeft = (question) => {
      watched(question);
      this.#judge.left(question);
      const job = this.#jobAskedFor(question);
      if (job !== undefined) this.#judge.polls(job);
    };
    const heard = (each: Heard): void => this.#judge.heard(each);
    for (const name of NAMES) stage.vendors.set(portOf(name), new Finder(name, stage, history, heard));
    writeFinders(stage, history);
    for (const name of ['a', 'b'] as const) {
      const rows = history[name].people.map((person) => `${Object.values(cellsOf(person)).join(',')}\n`);
      stage.write(`${name}.csv`, `First,Last,Site,Email,Title\n${rows.join('')}`);
    }
  }

  async play(): Promise<void> {
    const { acts, odd } = this.#history;
    for (const { restMs, moods: all, weather, deed, faults } of withOdd(acts, odd)) {
      await this.#stage.rest(restMs);
      this.#mood(all);
      this.#stage.weather = weather;
      if (deed.kind === 'run') await this.#run(deed.list, deed.isRefresh ? ['--refresh'] : [], faults);
      else if (deed.kind === 'settle') await this.#settle(deed.how);
      else await this.#forget(deed.list, deed.row, faults);
      await this.#watch.requireShown([], ASKED);
    }
    await this.#ends();
  }

  #mood(all: Act['moods']): void {
    for (const name of NAMES) this.#finder(name).mood = all[name] ?? well;
  }

  #jobAskedFor(question: Question): Job | undefined {
    const finder = this.#stage.vendors.get(question.origin);
    const id = polledIn(question);
    if (id === undefined || !(finder instanceof Finder)) return undefined;
    const job = finder.jobs?.of(id);
    promise(job !== undefined, `asked by an id that was given to nobody: ${question.path}`);
    return job;
  }

  #finder(name: Name): Finder {
    return this.#stage.vendors.get(portOf(name)) as Finder;
  }

  #steps(name: ListName): readonly Step[] {
    const { find, check, enrich } = this.#history[name];
    const all: readonly Step[] = [
      { operation: 'find-email', accounts: find, check },
      { operation: 'enrich-person', accounts: enrich },
    ];
    return all.filter(({ accounts }) => accounts.length > 0);
  }

  #writeJob(list: ListName): Caps {
    const steps = this.#steps(list);
    const names = steps.flatMap(({ accounts, check }) => [...accounts, ...(check ? [check.account] : [])]);
    const shares = Object.fromEntries(
      Object.entries(this.#shares).filter(([name]) => names.includes(name as Name)),
    );
    const added = { 'find-email': { Email: 'email' }, 'enrich-person': { Title: 'job_title' } };
    const operations = steps.map(({ operation, accounts, check }) => [
      operation,
      { account: accounts, add: added[operation as keyof typeof added], check },
    ]);
    const job = {
      columns: steps.length > 1 ? { ...COLUMNS, email: 'Email' } : COLUMNS,
      operations: Object.fromEntries(operations),
      on_existing: 'fill',
      in_doubt: this.#policy === 'retry' ? { retry: { extra_credits: EXTRA } } : this.#policy,
      budget: { credits: this.#credits, accounts: shares },
    };
    this.#stage.write(`${list}.yaml`, JSON.stringify(job));
    return shares;
  }

  async #run(list: ListName, more: readonly string[] = [], faults: readonly Fault[] = []): Promise<Ended> {
    const shares = this.#writeJob(list);
    const accepted = this.#answers[list] === undefined ? [] : ['--accept', this.#answers[list]];
    this.#judge.begins({ ...this.#typed(list), shares, isRefresh: more.includes('--refresh') });
    const typed = ['run', `${list}.yaml`, `${list}.csv`, '--yes', '--json', ...accepted, ...more];
    const most = await this.#planned(list, more.includes('--refresh') ? ['--refresh'] : []);
    const before = this.#watch.tables?.calls;
    const ended = await this.#watch.run(typed, faults);
    this.#judge.ends(ended);
    // Where the answer to a refresh is lost, the answer before stands and the next account is asked. No plan
    // counts that.
    const begun = [...(this.#watch.tables?.calls.values() ?? [])].filter(
      ({ id, state }) => !before?.has(id) && state !== 'doubt_beside',
    );
    const bought = begun.reduce((sum, call) => sum + (call.charged ?? 0) + heldBy(call), 0);
    const extra = this.#policy === 'retry' ? EXTRA : 0;
    // A plan cannot tell of free answers that this run has taken back because the run before it was killed.
    const now = this.#watch.tables?.calls;
    const isTakenBack = [...(before?.values() ?? [])].some(
      ({ id, is_current: was, state }) => was === 1 && state === 'answered' && now?.get(id)?.is_current === 0,
    );
    promise(
      (isTakenBack && !more.includes('--refresh')) || bought <= most + extra,
      `${bought} credits are bought, and planned were at most ${most}`,
    );
    await this.#stage.rest(ARRIVED_MS);
    this.#judge.requireBooks();
    this.#permits.require();
    delete this.#answers[list];
    const [answer] = answersOf(ended.stdout);
    if (answer !== undefined) this.#answers[list] = answer;
    return ended;
  }

  /** What a run buys at most, unless what is open or in doubt turns out to say nothing. */
  async #planned(list: ListName, more: readonly string[]): Promise<number> {
    const calls = [...(this.#watch.tables?.calls.values() ?? [])];
    const typed = ['plan', `${list}.yaml`, `${list}.csv`, '--json', ...more];
    const { stdout } = calls.some((call) => heldBy(call) > 0) ? NO_PLAN : await type(this.#stage, typed);
    return objectIn<Planned>(stdout)?.credits?.most ?? Number.POSITIVE_INFINITY;
  }

  #typed(list: ListName): FillRun {
    const { people } = this.#history[list];
    const said = { policy: this.#policy, credits: this.#credits, shares: this.#shares, perDay: this.#perDay };
    return { list, people, steps: this.#steps(list), isRefresh: false, ...said };
  }

  async #forget(list: ListName, row: number, faults: readonly Fault[]): Promise<void> {
    const person = this.#history[list].people[row];
    const email = person && this.#judge.addressOf(person);
    if (email !== undefined) await this.#forgetBy(email, faults);
  }

  async #forgetBy(email: string, faults: readonly Fault[] = []): Promise<void> {
    const { exitCode, stdout } = await type(this.#stage, ['forget', email, '--yes', '--json'], faults);
    const { stores = [] } = objectIn<Erased>(stdout) ?? {};
    const isForgotten = exitCode === 0 && stores.some(({ requests }) => requests > 0);
    this.#judge.forgets(email, isForgotten ? 'yes' : exitCode === undefined ? 'unsure' : 'no');
    if (isForgotten) requireForgotten(this.#stage, [email, ...this.#judge.idsBy(email)]);
  }

  /** Somebody who looks at the vendors' books, once nothing is on its way any more. */
  async #settle(how: Settled): Promise<number> {
    let decided = 0;
    const { batches = [] } = await this.#told<Batches>(['status']);
    for (const { batch, input } of batches) {
      for (let times = 0; times < MOST_DOUBTS; times += 1) {
        const { in_doubt: doubts = [] } = await this.#told<Doubts>(['settle', batch]);
        const open = doubts.filter(({ decision }) => decision?.by !== 'person');
        if (open.length === 0) break;
        for (const doubt of open) await this.#decide(batch, input.includes('a.csv') ? 'a' : 'b', doubt, how);
        decided += open.length;
      }
    }
    return decided;
  }

  /** What a person has sent again costs more than was agreed to. */
  async #cover(batch: string): Promise<void> {
    this.#judge.mayRepeat();
    await this.#told(['settle', batch, '--retry', '--extra-credits', `${ENOUGH}`]);
  }

  async #told<Printed>(words: readonly string[]): Promise<Partial<Printed>> {
    const { exitCode, stdout, stderr } = await type(this.#stage, [...words, '--json']);
    const isThere = exitCode === 0 || /no (store|batch)/i.test(stdout + stderr);
    promise(isThere, `${words.join(' ')} ends with ${exitCode}: ${stderr}`);
    return objectIn<Printed>(stdout) ?? {};
  }

  async #decide(batch: string, list: ListName, doubt: Doubt, how: Settled): Promise<void> {
    const { row, operation, parameters } = doubt;
    const asked = { operation, body: bodyOf(parameters) };
    const names = this.#judge.inDoubtAt(asked);
    const decision = how === 'truth' ? this.#truth(names, asked) : how;
    const flags = decision in FLAGS ? FLAGS[decision as keyof typeof FLAGS] : ['--answer', decision];
    const { exitCode, stderr } = await type(this.#stage, ['settle', batch, `${row}`, ...flags, '--json']);
    // A batch that a refresh has replaced sends nothing again.
    const isElsewhere = /No run goes on with batch/.test(stderr);
    promise(exitCode === 0 || isElsewhere, `what is in doubt cannot be settled: ${stderr}`);
    if (exitCode === 0) this.#judge.decided(list, names, asked, decision);
  }

  /** What the book of the vendor says; who cannot tell whose it is, or whose answer is to come, leaves it out. */
  #truth(names: readonly Name[], asked: { operation: Operation; body: string }): string {
    const [name, other] = names;
    if (other !== undefined) return 'skip';
    if (name === undefined) return 'not-done';
    const key = keyOf({ ...asked, name });
    const finder = this.#finder(name);
    const { charges, arrivals, jobs } = finder;
    if (jobs?.isAtWork(key)) return 'skip';
    const sold = charges.findLast((charge) => charge.key === key)?.facts;
    if (sold === undefined) return arrivals.some((each) => each.key === key) ? 'no_match' : 'not-done';
    // The one call cannot be told what only the other one finds.
    if ('people' in sold && finder.isFirst({ ...asked, name })) return 'skip';
    const place = PLACES[asked.operation];
    return sold[place] === undefined ? 'no_match' : `${place}=${sold[place]}`;
  }

  // -------------------------------------------------------------------------------------------- the end

  /** All is well, nothing has a budget, and the same commands are typed until both lists have ended. */
  async #ends(): Promise<void> {
    this.#stage.tell('from now on all is well');
    this.#mood({});
    this.#stage.weather = calm;
    this.#credits = ENOUGH;
    this.#shares = {};
    if (this.#policy === 'retry') this.#policy = 'hold';
    this.#perDay = {};
    writeFinders(this.#stage, { ...this.#history, perDay: {} });
    await this.#stage.rest(DAY_MS);
    for (const list of ['a', 'b'] as const) {
      const { batch = '', output } = await endList(this.#ending(list));
      promise(typeof output === 'string', `list ${list} has ended without an output`);
      const written = fs.readFileSync(output);
      this.#judge.requireOutput(output, this.#typed(list));
      await requireSameExport(this.#stage, batch, written);
    }
    this.#watch.requireBooks();
    await this.#forgetTaken();
    await requireWaysOut(this.#stage, this.#watch);
  }

  /** What is taken by an id names no one, and goes with the person all the same. */
  async #forgetTaken(): Promise<void> {
    const emails = [...this.#history.a.people, ...this.#history.b.people].map((person) =>
      this.#judge.addressOf(person),
    );
    const taken = emails.find((email) => email !== undefined && this.#judge.idsBy(email).length > 0);
    if (taken !== undefined) await this.#forgetBy(taken);
  }

  #ending(list: ListName) {
    return {
      list,
      rows: this.#history[list].people.length,
      run: (more: readonly string[]) => this.#run(list, more),
      settle: async (batch: string) => {
        await this.#stage.rest(ALL_ANSWERED_MS);
        if ((await this.#settle('truth')) === 0) await this.#cover(batch);
      },
      rest: (ms: number) => this.#stage.rest(ms),
      is: '',
    };
  }
}

/** After so many of the acts one is asked what it shows. */
const ASKED = 0.2;
const MOST_DOUBTS = 3;

const FLAGS = {
  skip: ['--skip'],
  retry: ['--retry', '--extra-credits', '20'],
  'not-done': ['--not-done'],
} as const;

const NO_PLAN = { stdout: '' };

interface Planned {
  readonly credits?: { readonly most: number };
}

interface Erased {
  readonly stores?: readonly { readonly requests: number }[];
}

interface Batches {
  readonly batches: readonly { readonly batch: string; readonly input: string }[];
}

interface Doubt {
  readonly row: number;
  readonly operation: Operation;
  readonly parameters: Readonly<Record<string, string>>;
  readonly decision: { readonly by: string } | null;
}

interface Doubts {
  readonly in_doubt: readonly Doubt[];
}

const fill: WorldKind<History> = {
  name: 'fill',
  history: fc.record({
    a: list(0),
    b: list(3),
    policy: fc.constantFrom<Policy[]>('hold', 'hold', 'skip', 'retry'),
    credits: fc.constantFrom(ENOUGH, ENOUGH, 5, 12),
    shares: caps(0, 2, 5),
    perDay: caps(3, 7),
    acts: fc.array(act, { minLength: 2, maxLength: MOST_ACTS, size: 'max' }),
    later: fc.oneof(fc.constant([]), chosen(1, 1)),
    ids: fc.oneof(fc.constant([]), chosen(1, 1)),
    odd: fc.option(odd, { nil: undefined, freq: 1 }),
  }),
  words: ({ a, b, policy, credits, shares, perDay, acts, later, ids, odd }) => [
    `in_doubt: ${policy}; credits ${credits}, ${JSON.stringify(shares)}; by the day ${JSON.stringify(perDay)}`,
    `later: ${later.join(', ') || 'nobody'}; an id first: ${ids.join(', ') || 'nobody'}`,
    `list a: ${listWords(a)}`,
    `list b: ${listWords(b)}`,
    ...withOdd(acts, odd).map(actWords),
  ],
  play: (stage, history) => new FillPlay(stage, history).play(),
};

export default fill;
