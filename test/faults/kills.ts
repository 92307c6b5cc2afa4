import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Random, randomFrom } from '../../src/sandbox/random.ts';
import { type KillTally, killOnce, killsIn, killWhileWriting, LOSSY, newTally } from './kill-loop.ts';
import { type BrokenPromises, brokenPromises, doubtfulFaults } from './promises.ts';
import { domainsOf, Workplace } from './workplace.ts';

/**
 * `npm run faults -- --kills 1000`: the promises of the README under a thousand random kills, over a vendor that loses
 * answers. Lists are worked through one after another in one store, each killed until it ends by itself; then the
 * vendor's book is held against the ledger. Exit code 1 when a promise is broken.
 */

/** Slow enough that most kills find requests on their way, fast enough that the next list comes. */
const LATENCY_MS = 40;
const WINDOW_MS = 350;
const CONCURRENCY = 4;

/** Then a new store is begun, because after each kill the next start checks all that is in it. */
const LISTS_A_STORE = 20;

const PROGRESS_EVERY_MS = 10_000;

interface Settings {
  readonly kills: number;
  /** In each list. */
  readonly rows: number;
  readonly seed: number;
  /** Stores, each with a vendor of its own, that are worked on side by side. */
  readonly lanes: number;
}

/** What was seen so far, in all lanes. */
interface Figures {
  readonly tally: KillTally;
  readonly broken: { -readonly [Promised in keyof BrokenPromises]: number };
  lists: number;
  rows: number;
  inDoubt: number;
  /** Answers that the vendor lost on purpose. */
  faults: number;
}

/** What a lane works with. */
interface Lane {
  readonly settings: Settings;
  readonly figures: Figures;
  readonly name: string;
  readonly random: Random;
}

interface List {
  readonly input: string;
  readonly output: string;
}

await main();

async function main(): Promise<void> {
  const settings = settingsOf(process.argv.slice(2));
  const figures = newFigures();
  const startedMs = performance.now();
  const show = setInterval(() => console.error(progressLine(figures, settings)), PROGRESS_EVERY_MS);
  const lanes = Array.from({ length: settings.lanes }, (_, number) => ({
    settings,
    figures,
    name: `seed-${settings.seed}-lane-${number}`,
    random: randomFrom('kills', settings.seed, number),
  }));
  try {
    await Promise.all(lanes.map(runLane));
  } finally {
    clearInterval(show);
  }
  console.log(table(figures, settings, (performance.now() - startedMs) / 1000));
  process.exitCode = isKept(figures) ? 0 : 1;
}

function settingsOf(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: 'string', default: '1000' },
      rows: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '2' },
    },
  });
  const number = (name: keyof typeof values): number => {
    if (/^\d{1,9}$/.test(values[name])) return Number(values[name]);
    throw new Error(`--${name} ${values[name]} is not a whole number.`);
  };
  return { kills: number('kills'), rows: number('rows'), seed: number('seed'), lanes: number('lanes') };
}

function isDone({ settings, figures }: Lane): boolean {
  return killsIn(figures.tally) >= settings.kills;
}

/** Fills one store after another until enough was killed; the last list is always brought to its end. */
async function runLane(lane: Lane): Promise<void> {
  for (let store = 1; !isDone(lane); store += 1) {
    await using workplace = await Workplace.open({
      latencyMs: LATENCY_MS,
      faults: LOSSY,
      concurrency: CONCURRENCY,
    });
    await fillStore(workplace, { ...lane, name: `${lane.name}-store-${store}` });
  }
}

async function fillStore(workplace: Workplace, lane: Lane): Promise<void> {
  const { settings, figures } = lane;
  const lists: List[] = [];
  while (lists.length < LISTS_A_STORE && !isDone(lane)) {
    const list = { input: `list-${lists.length}.csv`, output: `out-${lists.length}.csv` };
    workplace.writeList(domainsOfList(lane, lists.length), list.input);
    await workThrough(workplace, list, lane);
    lists.push(list);
    figures.lists += 1;
    figures.rows += settings.rows;
  }
  const broken = await brokenPromises(workplace, { lists });
  for (const promised of Object.keys(broken) as (keyof BrokenPromises)[]) {
    figures.broken[promised] += broken[promised];
  }
  figures.inDoubt += workplace.ledger().inDoubt;
  figures.faults += await doubtfulFaults(workplace);
}

/** One row in ten asks what an earlier row of the list asks, one in ten what the list before has asked. */
function domainsOfList({ name, settings }: Lane, number: number): readonly string[] {
  const own = domainsOf(`${name}-list-${number}`, settings.rows);
  const before = domainsOf(`${name}-list-${Math.max(number - 1, 0)}`, settings.rows);
  return own.map((domain, index) => {
    if (index % 10 === 7) return own[index - 5] ?? domain;
    return index % 10 === 9 ? (before[index - 1] ?? domain) : domain;
  });
}

/** The same command, killed and typed again until the list is done, and killed once more while it writes. */
async function workThrough(workplace: Workplace, list: List, lane: Lane): Promise<void> {
  const { tally } = lane.figures;
  const plan = { random: lane.random, windowMs: WINDOW_MS };
  while (!isDone(lane) && (await killOnce(workplace, list, plan, tally)));
  const output = await outputOf(workplace, list);
  if (!isDone(lane)) await killWhileWriting(workplace, list, plan, tally);
  if (!output.equals(await outputOf(workplace, list))) {
    throw new Error(`${list.output} of ${lane.name} was not written the same a second time`);
  }
}

/** Brings the list to its end, undisturbed. */
async function outputOf(workplace: Workplace, list: List): Promise<Buffer> {
  const { code, stderr } = await workplace.run(list);
  if (code !== 0 && code !== 3) throw new Error(`${list.input} ended with ${code}: ${stderr}`);
  return readFileSync(workplace.path(list.output));
}

// ------------------------------------------------------------------------------------------------ the figures

function newFigures(): Figures {
  const broken = { rowsLost: 0, chargedTwice: 0, requestsWithoutIntent: 0, booksDisagree: 0 };
  return { tally: newTally(), broken, lists: 0, rows: 0, inDoubt: 0, faults: 0 };
}

/** A kill leaves no more in doubt than may be on its way at once. */
function doubtBound({ tally, faults }: Figures): number {
  return CONCURRENCY * killsIn(tally) + faults;
}

/** Doubts come from what a kill left open and from what the vendor lost, and from nowhere else. */
function isKept(figures: Figures): boolean {
  const { tally, broken, inDoubt, faults } = figures;
  const none = Object.values(broken).every((times) => times === 0);
  const explained = inDoubt <= tally.open + faults && inDoubt <= doubtBound(figures);
  return none && explained && tally.mostOpen <= CONCURRENCY;
}

function progressLine({ tally, lists }: Figures, { kills }: Settings): string {
  return `${killsIn(tally)} of ${kills} kills, ${lists} lists done`;
}

function table(figures: Figures, { seed }: Settings, seconds: number): string {
  const { tally, broken, lists, rows, inDoubt, faults } = figures;
  const { before, during, after } = tally.landed;
  const kills = killsIn(tally);
  const lines: readonly (readonly [string, string | number])[] = [
    ['kills', `${kills} (before the work ${before}, in it ${during}, while writing ${after})`],
    ['lists', `${lists} with ${rows} rows, each brought to its end and written twice the same`],
    ['rows lost', broken.rowsLost],
    ['calls charged twice', broken.chargedTwice],
    ['requests without an intent', broken.requestsWithoutIntent],
    ['calls on which the two books disagree', broken.booksDisagree],
    [
      'calls in doubt',
      `${inDoubt} of at most ${CONCURRENCY} × ${kills} + ${faults} = ${doubtBound(figures)}`,
    ],
    ['  left open by kills', `${tally.open}, at most ${tally.mostOpen} by one (concurrency ${CONCURRENCY})`],
    ['  answers lost by the vendor', faults],
    ['seed', seed],
    ['seconds', seconds.toFixed(0)],
  ];
  return lines.map(([name, value]) => `${name.padEnd(39)} ${value}`).join('\n');
}
