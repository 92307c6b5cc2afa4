import { parseArgs } from 'node:util';
import { randomFrom } from '../../src/sandbox/random.ts';
import type { KillDrive } from './kills.ts';
import { ListKills } from './lists.ts';
import { DUPLICATES, MachineKills, type MachineSettings, MISHAP_NAMES, MISHAPS } from './machines.ts';
import { TeamKills } from './team.ts';
import { WAYS } from './ways.ts';

/** The promises of the README under many random kills, over a vendor that loses answers, whose book is the judge. */

const HELP = `npm run faults -- [--kills 1000] [--rows N] [--seed 1] [--lanes 2]
                           lists that are killed and meet with other mishaps; exit code 1 when a promise is broken
  --way WAY                ${WAYS.join(', ')}: how the vendor is reached
  --budget                 lists that are killed on the way to their budgets
  --team                   sheets of people who are onboarded
  --machines N             workers over one database, which buy two lists with 20,000 rows, by default with 3 stops and 6 pauses:
    --per-second 200       the vendor's limit, or --per-minute N
    --cap CREDITS          a budget that ends it before
    --minutes M            ends it by the time, with as many rows as take longer; nothing else happens to it but what is said
    --database-ms MS       what the way to the database takes, each way
${MISHAP_NAMES.map((name) => `    --${name} N`.padEnd(27) + MISHAPS[name].words).join('\n')}
    --wrong-clocks N       workers whose clock is an hour off`;

const PROGRESS_EVERY_MS = 10_000;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  ...{ help: flag, kills: text, rows: text, seed: text, lanes: text, way: text, budget: flag, team: flag },
  ...{
    machines: text,
    'per-second': text,
    'per-minute': text,
    cap: text,
    minutes: text,
    'database-ms': text,
  },
  ...{ pauses: text, stops: text, cuts: text, silences: text, crowds: text, 'full-disks': text },
  'wrong-clocks': text,
} as const;

const { values } = parseArgs({ options: OPTIONS });
if (values.help) console.log(HELP);
else await main();

async function main(): Promise<void> {
  const [drive, seed] = [driveOf(), number('seed', 1)];
  const startedMs = performance.now();
  const show = setInterval(
    () => console.error(`${drive.kills} kills, ${drive.lists} lists done`),
    PROGRESS_EVERY_MS,
  );
  const lanes = Array.from({ length: values.machines === undefined ? number('lanes', 2) : 1 }, (_, at) => ({
    name: `seed-${seed}-lane-${at}`,
    random: randomFrom('kills', seed, at),
  }));
  try {
    await Promise.all(lanes.map((lane) => drive.run(lane)));
  } finally {
    clearInterval(show);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const lines = [...drive.table(), ['seed', seed], ['seconds', seconds]] as const;
  console.log(lines.map(([name, value]) => `${name.padEnd(46)} ${value}`).join('\n'));
  process.exitCode = drive.isKept() ? 0 : 1;
}

function driveOf(): KillDrive {
  const kills = number('kills', 1000);
  if (values.machines !== undefined) return new MachineKills(machineSettings());
  if (values.team) return new TeamKills({ kills, rows: number('rows', 500) });
  const rows = number('rows', 200);
  const way = WAYS.find((each) => each === (values.way ?? 'direct'));
  if (way === undefined) throw new Error(`--way ${values.way} is none of ${WAYS.join(', ')}.`);
  return new ListKills({ kills, rows, way, world: values.budget ? 'budgets' : 'mishaps' });
}

function machineSettings(): MachineSettings {
  const minutes = given('minutes');
  const perMinute = given('per-minute');
  const perSecond = number('per-second', 200);
  const limit =
    perMinute === undefined
      ? { requests: perSecond, windowMs: 1_000 }
      : { requests: perMinute, windowMs: 60_000 };
  const usual = { kills: 1000, stops: 3, pauses: 6 };
  const most = MISHAP_NAMES.map((name) => {
    const often = minutes === undefined && name in usual ? usual[name as keyof typeof usual] : 0;
    return [name, number(name, often)];
  });
  // All of a limit may be used at once as the first, and then again over each of its spans.
  const calls = limit.requests * (1 + ((minutes ?? 0) * 60_000) / limit.windowMs);
  return {
    rows: number('rows', minutes === undefined ? 20_000 : Math.ceil((calls * 1.1) / (1 - DUPLICATES))),
    seed: number('seed', 1),
    workers: number('machines', 4),
    most: Object.fromEntries(most) as MachineSettings['most'],
    wrongClocks: number('wrong-clocks', 0),
    limit,
    cap: given('cap'),
    minutes,
    databaseMs: number('database-ms', 0),
  };
}

function number(name: Exclude<keyof typeof OPTIONS, 'help' | 'budget' | 'team'>, usual: number): number {
  return given(name) ?? usual;
}

function given(name: Exclude<keyof typeof OPTIONS, 'help' | 'budget' | 'team'>): number | undefined {
  const value = values[name];
  if (value === undefined || /^\d{1,9}$/.test(value)) return value === undefined ? undefined : Number(value);
  throw new Error(`--${name} ${value} is not a whole number.`);
}
