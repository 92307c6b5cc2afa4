import { parseArgs } from 'node:util';
import { randomFrom } from '../../src/sandbox/random.ts';
import { openFill } from './fill.ts';
import { fillByMachines } from './fill-machines.ts';
import { FILL_SLOTS } from './finders.ts';
import { drive, type Lane, Tally } from './kills.ts';
import { openLists } from './lists.ts';
import { DUPLICATES, driveMachines, type MachineSettings, MISHAP_NAMES, MISHAPS } from './machines.ts';
import { openSheets } from './team.ts';
import { WAYS } from './ways.ts';

/** The promises of the README under many random kills, over a vendor that loses answers, whose book is the judge. */

const HELP = `npm run faults -- [--kills 1000] [--rows N] [--seed 1] [--lanes 2]
                           lists that are killed; exit code 1 when a promise is broken
  --way WAY                ${WAYS.join(', ')}: how the vendor is reached
  --budget                 lists that are killed on the way to their budgets
  --team                   sheets of people who are onboarded
  --fill                   a list whose blanks six vendors fill, over two budgets, a key that dies and a vendor that is away
    --calm                 without these three: the cells are those of a run that nobody disturbs
    --machines N           workers over one database that fill them
  --machines N             workers over one database, which buy two lists with 20,000 rows, by default with 3 stops and 6 pauses:
    --per-second 200       the vendor's limit, or --per-minute N
    --minutes M            ends it by the time, with as many rows as take longer; nothing else happens to it but what is said
    --database-ms MS       what the way to the database takes, each way
${MISHAP_NAMES.map((name) => `    --${name} N`.padEnd(27) + MISHAPS[name].words).join('\n')}`;

const NUMBERS = [
  ...['kills', 'rows', 'seed', 'lanes', 'machines', 'per-second', 'per-minute', 'minutes', 'database-ms'],
  ...MISHAP_NAMES,
];
const { values } = parseArgs({
  options: {
    ...Object.fromEntries(NUMBERS.map((name) => [name, { type: 'string' } as const])),
    help: { type: 'boolean' },
    budget: { type: 'boolean' },
    team: { type: 'boolean' },
    fill: { type: 'boolean' },
    calm: { type: 'boolean' },
    way: { type: 'string', default: 'direct' },
  },
});
if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
  const seed = number('seed') ?? 1;
  const tally = new Tally(number('kills') ?? 1000, values.fill ? FILL_SLOTS : undefined);
  const startedMs = performance.now();
  const show = setInterval(() => console.error(`${tally.killed} kills, ${tally.lists} lists done`), 10_000);
  const work = workOf(tally);
  const lanes = Array.from(
    { length: number('machines') === undefined ? (number('lanes') ?? (values.fill ? 1 : 2)) : 1 },
    (_, at) => work({ name: `seed-${seed}-lane-${at}`, random: randomFrom('kills', seed, at) }),
  );
  await Promise.all(lanes).finally(() => clearInterval(show));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const lines = [...tally.table(), ['seed', seed], ['seconds', seconds]] as const;
  console.log(lines.map(([name, value]) => `${name.padEnd(46)} ${value}`).join('\n'));
  process.exitCode = tally.isKept ? 0 : 1;
}

function workOf(tally: Tally): (lane: Lane) => Promise<void> {
  const rows = number('rows');
  const workers = number('machines');
  const fill = { rows: rows ?? 500, seed: number('seed') ?? 1, isDisturbed: values.calm !== true };
  if (workers !== undefined && values.fill)
    return (lane) => fillByMachines({ ...fill, workers }, lane, tally);
  if (workers !== undefined) return (lane) => driveMachines(machineSettings(), lane, tally);
  // Then a new store is begun, because after each list all that is in it is checked.
  if (values.team) return (lane) => drive((store) => openSheets(rows ?? 500, store, tally), 8, lane, tally);
  if (values.fill) return (lane) => drive((store) => openFill(fill, store, tally), 1, lane, tally);
  const way = WAYS.find((each) => each === values.way);
  if (way === undefined) throw new Error(`--way ${values.way} is none of ${WAYS.join(', ')}.`);
  const settings = { rows: rows ?? 200, way, isCapped: values.budget === true };
  return (lane) => drive((store) => openLists(settings, store, tally), 20, lane, tally);
}

function machineSettings(): MachineSettings {
  const minutes = number('minutes');
  const perMinute = number('per-minute');
  const limit =
    perMinute === undefined
      ? { requests: number('per-second') ?? 200, windowMs: 1_000 }
      : { requests: perMinute, windowMs: 60_000 };
  const usual: Partial<MachineSettings['most']> =
    minutes === undefined ? { kills: 1000, stops: 3, pauses: 6 } : {};
  const most = MISHAP_NAMES.map((name) => [name, number(name) ?? usual[name] ?? 0]);
  // All of a limit may be used at once as the first, and then again over each of its spans.
  const calls = limit.requests * (1 + ((minutes ?? 0) * 60_000) / limit.windowMs);
  return {
    rows: number('rows') ?? (minutes === undefined ? 20_000 : Math.ceil((calls * 1.1) / (1 - DUPLICATES))),
    seed: number('seed') ?? 1,
    workers: number('machines') ?? 4,
    most: Object.fromEntries(most) as MachineSettings['most'],
    limit,
    minutes,
    databaseMs: number('database-ms') ?? 0,
  };
}

function number(name: string): number | undefined {
  const value = (values as Readonly<Record<string, unknown>>)[name];
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(String(value))) return Number(value);
  throw new Error(`--${name} ${value} is not a whole number.`);
}
