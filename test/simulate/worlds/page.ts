/**
 * A list on the page: somebody brings it and brings other versions of it, mends cells and takes mends back, starts, stops looking, leaves
 * out what is in doubt and starts again, all by the routes of the page. In the end all is well, the newest start is the one of the list as
 * it stands, and each of its rows has what was sold for its own cells.
 */
import fs from 'node:fs';
import { parse } from 'csv-parse/sync';
import fc, { type Arbitrary } from 'fast-check';
import { Watch } from '../invariants.ts';
import { companies, type Row } from '../list-kinds.ts';
import { calm, type Weather, weathers, weatherWords } from '../network.ts';
import { type Answered, ask } from '../page.ts';
import { crashes, DAY_MS, faultWords, HOUR_MS, MINUTE_MS, timeWords } from '../people.ts';
import { Permitted } from '../permitted.ts';
import { promise, type WorldKind } from '../played.ts';
import type { Fault } from '../process.ts';
import type { Stage } from '../stage.ts';
import { type Mood, moods, moodWords, oddMoods, well } from '../vendor.ts';
import { requireWaysOut } from '../ways-out.ts';
import { companyRow, writeAccounts } from '../workplace.ts';

// ------------------------------------------------------------------------------------------------ what may happen

type Deed =
  | { readonly kind: 'bring'; readonly version: number }
  /** A cell gets what another company has there. */
  | { readonly kind: 'mend'; readonly row: number; readonly column: 'ABN' | 'Site'; readonly company: number }
  | { readonly kind: 'take back'; readonly mend: number }
  | { readonly kind: 'start' }
  | { readonly kind: 'leave out' | 'send again'; readonly doubt: number };

interface Act {
  readonly restMs: number;
  readonly mood: Mood;
  readonly weather: Weather;
  readonly deed: Deed;
  readonly faults: readonly Fault[];
}

interface History {
  readonly versions: readonly (readonly number[])[];
  readonly acts: readonly Act[];
}

const MOST_ROWS = 9;
/** The companies of a list, and two that only mends name. */
const COMPANIES = 12;

const kindOf = <Kind extends string>(kind: Kind): Arbitrary<Kind> => fc.constant(kind);

const deeds: Arbitrary<Deed> = fc.oneof<fc.WeightedArbitrary<Deed>[]>(
  { weight: 6, arbitrary: fc.record({ kind: kindOf('start') }) },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('bring'), version: fc.nat(1) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kindOf('mend'),
      row: fc.nat(MOST_ROWS - 1),
      column: fc.constantFrom('ABN' as const, 'Site' as const),
      company: fc.nat(COMPANIES + 1),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('take back'), mend: fc.nat(5) }) },
  { weight: 3, arbitrary: fc.record({ kind: kindOf('leave out'), doubt: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ kind: kindOf('send again'), doubt: fc.nat(5) }) },
);

/** No calendar is wrong here: other worlds have that. */
const ownMoods = fc.oneof(moods, oddMoods).map((mood) => (mood.kind === 'calendar' ? well : mood));

const mostly = <Value>(usual: Value, all: Arbitrary<Value>): Arbitrary<Value> =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: all });

const acts: Arbitrary<Act> = fc.record({
  restMs: fc.constantFrom(5_000, 15 * MINUTE_MS, 5 * HOUR_MS, 2 * DAY_MS),
  mood: mostly(well, ownMoods),
  weather: mostly(calm, weathers),
  deed: deeds,
  faults: crashes,
});

/** The second version shares most of its rows with the first. */
const versions = fc
  .tuple(
    fc.array(fc.nat(COMPANIES - 1), { minLength: 6, maxLength: MOST_ROWS - 1 }),
    fc.nat(5),
    fc.nat(COMPANIES - 1),
  )
  .map(([first, at, other]) => [first, [...first.toSpliced(at, 1), other]]);

function deedWords(deed: Deed): string {
  switch (deed.kind) {
    case 'bring':
      return `brings version ${deed.version}`;
    case 'mend':
      return `mends ${deed.column} of row ${deed.row} as of company ${deed.company}`;
    case 'take back':
      return `takes back mend ${deed.mend}`;
    case 'start':
      return 'starts';
    default:
      return `${deed.kind} doubt ${deed.doubt}`;
  }
}

const actWords = ({ restMs, mood, weather, deed, faults }: Act): string =>
  [
    `${timeWords(restMs)} later she ${deedWords(deed)}`,
    ...(mood.kind === 'well' ? [] : [`vendor: ${moodWords(mood)}`]),
    ...(weather === calm ? [] : [`network: ${weatherWords(weather)}`]),
    ...faults.map(faultWords),
  ].join('; ');

// ------------------------------------------------------------------------------------------------ the play

const LIST_NAME = 'export.csv';
const CONCURRENCY = 4;
const ENOUGH = 1000;
/** Behind the header. */
const FIRST_ROW = 2;
/** What is on its way when a process dies still arrives. */
const ARRIVED_MS = MINUTE_MS;
const MOST_STARTS = 12;

const JOB = {
  operation: 'enrich-company',
  account: 'data',
  columns: { abn: 'ABN', website: 'Site' },
  waterfall: ['abn', 'domain'],
  add: { employees: 'employee_count' },
  budget: { credits: ENOUGH },
};

const cellsOf = (company: number) => {
  const [ABN = '', Site = ''] = companyRow(company).trim().split(',');
  return { ABN, Site };
};
type Cells = ReturnType<typeof cellsOf>;

interface Mend {
  readonly row: number;
  readonly column: keyof Cells;
  readonly value: string;
}

interface Doubt {
  readonly row: number;
  readonly parameters: Readonly<Record<string, string>>;
  readonly decision: { readonly by: string } | null;
}

const keyOf = ({ parameters }: Doubt): string => `/enrich/company ${JSON.stringify(parameters)}`;

interface Ran {
  readonly batch?: string;
  readonly output?: string | null;
  readonly counts?: Readonly<Record<string, number>>;
  readonly stopped: {
    readonly code: string;
    readonly answers?: readonly string[];
    readonly resume_at: string | null;
  } | null;
}

class PagePlay {
  readonly #stage: Stage;
  readonly #history: History;
  readonly #watch: Watch;
  readonly #permitted: Permitted;
  /** What she has left out of this list, and did not send again since. */
  readonly #leftOut = new Set<string>();
  #list = '';
  #version = 0;
  #mends: readonly Mend[] = [];
  #batch: string | undefined;

  constructor(stage: Stage, history: History) {
    this.#stage = stage;
    this.#history = history;
    writeAccounts(stage);
    this.#watch = new Watch(stage, CONCURRENCY);
    this.#permitted = new Permitted(stage);
    const watched = stage.onLeft;
    stage.onLeft = (question) => {
      watched(question);
      const key = `${question.path} ${question.body}`;
      promise(
        question.method !== 'POST' || !this.#leftOut.has(key),
        `she has left it out, and it is asked: ${key}`,
      );
    };
  }

  async play(): Promise<void> {
    await this.#bring(0);
    for (const { restMs, mood, weather, deed, faults } of this.#history.acts) {
      await this.#stage.rest(restMs);
      this.#stage.vendor.mood = mood;
      this.#stage.weather = weather;
      await this.#do(deed, faults);
      await this.#stage.rest(ARRIVED_MS);
      this.#permitted.require();
    }
    await this.#ends();
  }

  async #do(deed: Deed, faults: readonly Fault[]): Promise<void> {
    switch (deed.kind) {
      case 'bring':
        return this.#bring(deed.version);
      case 'mend': {
        const value = cellsOf(deed.company)[deed.column];
        return this.#mend({ row: deed.row % this.#companies.length, column: deed.column, value });
      }
      case 'take back': {
        const mend = this.#mends[deed.mend % this.#mends.length];
        return mend && this.#mend({ ...mend, value: null });
      }
      case 'start':
        await this.#start(undefined, faults);
        return;
      default: {
        const doubts = await this.#doubts();
        const doubt = doubts[deed.doubt % doubts.length];
        return doubt && this.#decide(doubt, deed.kind);
      }
    }
  }

  // ---------------------------------------------------------------------------------------------- the list

  get #companies(): readonly number[] {
    return this.#history.versions[this.#version] ?? [];
  }

  /** The list as it stands. */
  get #rows(): readonly Cells[] {
    return this.#companies.map((company, row) => {
      const own = this.#mends.filter((mend) => mend.row === row);
      return { ...cellsOf(company), ...Object.fromEntries(own.map(({ column, value }) => [column, value])) };
    });
  }

  /** A mend of a row that has become another one is gone: the page says which mends are left. */
  async #bring(version: number): Promise<void> {
    const rows = (this.#history.versions[version] ?? []).map(companyRow);
    const file = `ABN,Site\n${rows.join('')}`;
    const path = `/lists?name=${LIST_NAME}`;
    const first = await ask(this.#stage, path, { method: 'PUT', file });
    // Of a file that has few of its rows she says that it is this list.
    const isAsked = 'other' in first.body;
    const { status, body } = isAsked
      ? await ask(this.#stage, `${path}&as=${this.#list}`, { method: 'PUT', file })
      : first;
    promise(status === 201 && typeof body.id === 'string', `a list is not taken: ${JSON.stringify(body)}`);
    this.#list = body.id;
    this.#version = version;
    this.#took(body);
  }

  async #mend({
    row,
    column,
    value,
  }: Omit<Mend, 'value'> & { readonly value: string | null }): Promise<void> {
    const cell = { row: row + FIRST_ROW, column, value };
    const { status, body } = await ask(this.#stage, `/lists/${this.#list}/mends`, {
      method: 'PUT',
      body: { mends: [cell] },
    });
    promise(status === 200, `a mend is not taken: ${JSON.stringify(body)}`);
    this.#took(body);
    const isKept = this.#mends.some(
      (each) => each.row === row && each.column === column && each.value === value,
    );
    promise(
      isKept === (value !== null),
      `a mend is ${value === null ? 'still there' : 'gone'}: ${JSON.stringify(cell)}`,
    );
  }

  #took({ mends }: Answered['body']): void {
    this.#mends = (mends as readonly Mend[]).map((mend) => ({ ...mend, row: mend.row - FIRST_ROW }));
  }

  // ---------------------------------------------------------------------------------------------- starts

  /** As the button does: exactly the plan that was shown. @returns undefined where it could not begin, or was killed. */
  async #start(accept?: string, faults: readonly Fault[] = []): Promise<Ran | undefined> {
    const asked = { file: this.#list, job: JOB };
    const plan = await ask(this.#stage, '/plan', { body: asked });
    if (plan.status !== 200) return { stopped: (plan.body as { error: Ran['stopped'] }).error };
    const before = this.#watch.tables;
    const body = { ...asked, plan: plan.body.id, yes: true, ...(accept !== undefined && { accept }) };
    const { result } = await ask(this.#stage, '/run', { body }, faults);
    const ran = result as Ran | undefined;
    if (ran === undefined) return undefined;
    const ended = {
      exitCode: 0,
      how: 'ended',
      stdout: JSON.stringify(ran),
      stderr: '',
      passages: 0,
    } as const;
    this.#watch.requireRun(ended, before);
    this.#batch = ran.batch ?? this.#batch;
    return ran;
  }

  async #doubts(): Promise<readonly Doubt[]> {
    if (this.#batch === undefined) return [];
    const { body } = await ask(this.#stage, '/settle', { body: { batch: this.#batch } });
    const all = (body.in_doubt ?? []) as readonly Doubt[];
    const doubts = all.filter(({ decision }) => decision?.by !== 'person');
    const again = doubts.find((doubt) => this.#leftOut.has(keyOf(doubt)));
    promise(again === undefined, `she has left it out, and is asked again: ${again && keyOf(again)}`);
    return doubts;
  }

  async #decide(doubt: Doubt, how: 'leave out' | 'send again'): Promise<void> {
    const decision = how === 'leave out' ? { skip: true } : { retry: true, extra_credits: ENOUGH };
    const body = { batch: this.#batch, row: doubt.row, ...decision };
    const { status, body: said } = await ask(this.#stage, '/settle', { body });
    const isDone = status === 200;
    const why = JSON.stringify(said);
    promise(isDone || how === 'send again', `what is in doubt cannot be left out: ${why}`);
    if (!isDone) return;
    if (how === 'leave out') this.#leftOut.add(keyOf(doubt));
    else {
      this.#leftOut.delete(keyOf(doubt));
      this.#permitted.again([keyOf(doubt)]);
    }
  }

  // -------------------------------------------------------------------------------------------- the end

  async #ends(): Promise<void> {
    const stage = this.#stage;
    stage.tell('from now on all is well');
    stage.vendor.mood = well;
    stage.weather = calm;
    await stage.rest(DAY_MS);
    const { batch = '', output, counts = {} } = await this.#startToTheEnd();
    promise((counts.in_doubt ?? 0) === 0, `what was left out is in doubt again: ${JSON.stringify(counts)}`);
    const { body } = await ask(stage, `/batches?newest=true&list=${this.#list}`, { method: 'GET' });
    const [shown] = body.batches as readonly { readonly batch: string }[];
    promise(shown?.batch === batch, `the page shows ${shown?.batch}, and started was ${batch}`);
    promise(typeof output === 'string', 'the list has ended without an output');
    this.#requireOutput(output);
    this.#watch.requireBooks();
    await requireWaysOut(stage, this.#watch);
  }

  async #startToTheEnd(): Promise<Ran> {
    let accept: string | undefined;
    for (let times = 0; times < MOST_STARTS; times += 1) {
      const ran = await this.#start(accept);
      this.#permitted.require();
      promise(ran !== undefined, 'a start prints nothing');
      accept = ran.stopped?.answers?.[0];
      if (ran.stopped !== null) {
        const { code, resume_at: at } = ran.stopped;
        promise(
          accept !== undefined || code === 'paused',
          `the list cannot go on: ${JSON.stringify(ran.stopped)}`,
        );
        if (accept === undefined) await this.#stage.rest(at === null ? 15 * MINUTE_MS : HOUR_MS);
        continue;
      }
      const doubts = await this.#doubts();
      if (doubts.length === 0) return ran;
      for (const doubt of doubts) await this.#decide(doubt, 'leave out');
    }
    promise(false, `the list does not end in ${MOST_STARTS} starts`);
  }

  /** Each row is as the list has it, and has what was sold for that. */
  #requireOutput(output: string): void {
    const shown: readonly Row[] = parse(fs.readFileSync(output), { columns: true, bom: true });
    const rows = this.#rows;
    promise(shown.length === rows.length, `the output has ${shown.length} rows, the list ${rows.length}`);
    for (const [at, cells] of rows.entries()) this.#requireRow(cells, shown[at] ?? {});
  }

  #requireRow(cells: Cells, row: Row): void {
    const of = `row ${Object.values(row).join(', ')}`;
    promise(
      row.ABN === cells.ABN && row.Site === cells.Site,
      `not the cells of the list, ${cells.ABN}: ${of}`,
    );
    const keys = companies.keysOf(row);
    const all = Object.values(keys);
    const { charges, arrivals } = this.#stage.vendor;
    const sold = charges.filter(({ key }) => key === keys[row._matched_by ?? '']);
    const isRight: Readonly<Record<string, boolean>> = {
      matched: sold.some(({ facts }) => companies.shownOf(facts) === companies.shownIn(row)),
      no_match: all.every((key) => arrivals.some((each) => each.key === key)),
      refused: arrivals.some(({ key, ailment }) => all.includes(key) && ailment === 'refusing'),
      skipped: all.some((key) => this.#leftOut.has(key)),
    };
    promise(isRight[row._status ?? ''] === true, `not as the book has it: ${of}`);
  }
}

const page: WorldKind<History> = {
  name: 'page',
  history: fc.record({
    versions,
    acts: fc.array(acts, { minLength: 4, maxLength: 9, size: 'max' }),
  }),
  words: ({ versions: all, acts: done }) => [
    ...all.map((rows, at) => `version ${at}: ${rows.join(' ')}`),
    ...done.map(actWords),
  ],
  play: (stage, history) => new PagePlay(stage, history).play(),
};

export default page;
