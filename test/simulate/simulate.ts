/**
 * `npm run simulate -- --seeds 20000 [--from N] [--world lists|histories|team|fill|page] [--day] [--until-fault] [--each] [--tell]
 * [--longest 300]`: plays worlds that follow from their seeds, and says of each fault how it came to pass and how it is played again. The
 * same seeds give the same digest, of all requests with their times. `--seeds 7,3,5` plays those, in that order; `--each` tells the digest
 * of each, `--tell` its history; `--until-fault` ends with the first fault, which is not made smaller. A world that takes more seconds than
 * the longest is named, and nothing is played after it.
 */
import './doors/load.ts';
import { createHash, hash } from 'node:crypto';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { Watchdog } from './watchdog.ts';

/** The kinds of worlds, which take turns. */
const NAMES = ['lists', 'histories', 'team', 'fill', 'page'] as const;

/** How long one fault is made smaller, and how many are; of further ones only the seeds are told. */
const SHRINK_MS = 30_000;
const MOST_SHRUNK = 3;

/** After so many worlds it is told what came of them. */
const TOLD_EVERY = 200;

const DAY_MS = 24 * 3_600_000;
const SEEDS_A_DAY = 1_000_000;

interface Totals {
  worlds: number;
  crashes: number;
  requests: number;
  faults: number;
}

const totals: Totals = { worlds: 0, crashes: 0, requests: 0, faults: 0 };
const digest = createHash('sha256');

const OPTIONS = {
  seeds: { type: 'string', default: '500' },
  from: { type: 'string' },
  world: { type: 'string' },
  day: { type: 'boolean', default: false },
  'until-fault': { type: 'boolean', default: false },
  each: { type: 'boolean', default: false },
  tell: { type: 'boolean', default: false },
  longest: { type: 'string', default: '300' },
} as const;

const values = typed();
// What is typed wrongly is said before the program is loaded, which takes longer.
const { ROOT, Stage, loadProgram } = await import('./stage.ts');
const worlds = [
  (await import('./worlds/lists.ts')).default,
  (await import('./worlds/histories.ts')).default,
  (await import('./worlds/team.ts')).default,
  (await import('./worlds/fill.ts')).default,
  (await import('./worlds/page.ts')).default,
];
type Kind = (typeof worlds)[number];
const from = Number(values.from ?? (values.day ? Math.floor(Date.now() / DAY_MS) * SEEDS_A_DAY : 1));
const watchdog = new Watchdog(1_000 * Number(values.longest), ROOT);
const kinds = worlds.filter(({ name }) => values.world === undefined || name === values.world);
const runCommandLine = await loadProgram();
const seeds = values.seeds.includes(',')
  ? values.seeds.split(',').map(Number)
  : Array.from({ length: Number(values.seeds) }, (_, at) => from + at);
for (const seed of seeds)
  if (totals.faults === 0 || !values['until-fault']) await playSeed(kinds[seed % kinds.length] as Kind, seed);
console.log(`${totalWords()}, digest ${digest.digest('hex').slice(0, 16)}`);
process.exit(totals.faults === 0 ? 0 : 1);

function totalWords(): string {
  const { worlds, crashes, requests, faults } = totals;
  return `${worlds} worlds, ${crashes} crashes, ${requests} requests, ${faults} faults`;
}

/** A wrong word ends with 2, as with the program itself: 1 says that a world has a fault. */
function typed() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    const { seeds, from = '1', world = 'lists', longest } = values;
    if (!NAMES.some((name) => name === world))
      throw new Error(`--world ${world} is none of ${NAMES.join(', ')}`);
    for (const [name, text, form] of [
      ['seeds', seeds, /^\d+(,\d+)*$/],
      ['from', from, /^\d+$/],
      ['longest', longest, /^\d+$/],
    ] as const)
      if (!form.test(text)) throw new Error(`--${name} ${text} is no number`);
    return values;
  } catch (error) {
    const [why] = String((error as Error).message).split('. ');
    const all = Object.keys(OPTIONS).map((name) => `--${name}`);
    console.error(`${why}; npm run simulate takes ${all.join(', ')}.`);
    return process.exit(2);
  }
}

async function playSeed(kind: Kind, seed: number): Promise<void> {
  let isFirst = true;
  let told: readonly string[] = [];
  const property = fc.asyncProperty(kind.history as fc.Arbitrary<never>, async (history) => {
    watchdog.watch(`${faultIn(kind, seed)}: it takes more than ${values.longest} s\n${againBy(kind, seed)}`);
    const stage = new Stage(seed, runCommandLine);
    try {
      await kind.play(stage, history);
    } catch (error) {
      told = stage.told;
      throw error;
    } finally {
      if (isFirst) count(seed, stage);
      isFirst = false;
      stage.close();
      if (values.tell) console.log([`Seed ${seed}:`, ...kind.words(history), ...stage.told].join('\n  '));
    }
  });
  const endOnFailure = totals.faults >= MOST_SHRUNK || values['until-fault'];
  // What is being played goes on to its end: there is one world at a time.
  const limits = { skipAllAfterTimeLimit: SHRINK_MS, endOnFailure };
  const result = await fc.check(property, { seed, numRuns: 1, ...limits });
  if (!result.failed) return;
  totals.faults += 1;
  const { counterexample, errorInstance } = result;
  console.log(`\n${faultIn(kind, seed)}: ${errorInstance}`);
  if (totals.faults > MOST_SHRUNK && !values['until-fault']) return;
  for (const line of counterexample === null ? [] : kind.words(counterexample[0] as never))
    console.log(`  ${line}`);
  console.log('What happened:');
  for (const line of told) console.log(`  ${line}`);
  console.log(`${againBy(kind, seed)}\n`);
}

function faultIn({ name }: Kind, seed: number): string {
  return `A fault in world ${name} of seed ${seed}`;
}

function againBy({ name }: Kind, seed: number): string {
  return `Play it again: npm run simulate -- --world ${name} --from ${seed} --seeds 1`;
}

function count(seed: number, stage: InstanceType<typeof Stage>): void {
  totals.worlds += 1;
  totals.crashes += stage.crashes;
  totals.requests += stage.sent.length;
  // Who ends a long run knows how far it came.
  if (totals.worlds % TOLD_EVERY === 0) console.error(`${totalWords()}, so far to seed ${seed}`);
  const own = hash('sha256', stage.sent.join('\n'));
  digest.update(own);
  if (values.each) console.log(`${seed} ${own.slice(0, 16)} ${stage.passages}`);
}
