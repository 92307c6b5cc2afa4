import { parseArgs } from 'node:util';
import { randomFrom } from '../../src/sandbox/random.ts';
import { BudgetKills } from './budget-kills.ts';
import {
  type KillDrive,
  type MachineSettings,
  MISHAP_NAMES,
  type MishapName,
  type Settings,
} from './kill-drive.ts';
import { ListKills } from './list-kills.ts';
import { MachineKills } from './machine-kills.ts';
import { TeamKills } from './team-kills.ts';
import { WAYS, type Way } from './ways.ts';

/**
 * `npm run faults -- --kills 1000`: the promises of the README under a thousand random kills, over a vendor that loses
 * answers. `--dialect rest-get` and `--via` reach the vendor in another way, with `--keyed` it honours idempotency keys,
 * `--only-kills` leaves out the other mishaps of `mishaps.ts`. `--budget` is about budgets, `--team` about onboarding,
 * `--machines 4` about workers over one database. Exit code 1 when a promise is broken.
 */

const PROGRESS_EVERY_MS = 10_000;

const MACHINE_FLAGS = {
  machines: { type: 'string' },
  stops: { type: 'string', default: '3' },
  pauses: { type: 'string', default: '6' },
  cuts: { type: 'string', default: '0' },
  silences: { type: 'string', default: '0' },
  crowds: { type: 'string', default: '0' },
  'full-disks': { type: 'string', default: '0' },
  'wrong-clocks': { type: 'string', default: '0' },
  'pause-seconds': { type: 'string', default: '20' },
  'per-second': { type: 'string', default: '200' },
  cap: { type: 'string' },
} as const;

await main();

async function main(): Promise<void> {
  const settings = settingsOf(process.argv.slice(2));
  const drive = driveOf(settings);
  const startedMs = performance.now();
  const show = setInterval(
    () => console.error(`${drive.kills} of ${settings.kills} kills, ${drive.lists} lists done`),
    PROGRESS_EVERY_MS,
  );
  const lanes = Array.from({ length: settings.lanes }, (_, number) => ({
    name: `seed-${settings.seed}-lane-${number}`,
    random: randomFrom('kills', settings.seed, number),
  }));
  try {
    await Promise.all(lanes.map((lane) => drive.run(lane)));
  } finally {
    clearInterval(show);
  }
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  const { way, seed } = settings;
  const lines = [...drive.table(), ['way', way], ['seed', seed], ['seconds', seconds]] as const;
  console.log(lines.map(([name, value]) => `${name.padEnd(39)} ${value}`).join('\n'));
  process.exitCode = drive.isKept() ? 0 : 1;
}

function driveOf(settings: Settings): KillDrive {
  const { machines } = settings;
  if (machines !== undefined) return new MachineKills(settings, machines);
  if (settings.team) return new TeamKills(settings);
  return settings.budget ? new BudgetKills(settings) : new ListKills(settings);
}

function settingsOf(args: string[]): Settings {
  const { values } = parseArgs({
    args,
    options: {
      kills: { type: 'string', default: '1000' },
      rows: { type: 'string' },
      seed: { type: 'string', default: '1' },
      lanes: { type: 'string', default: '2' },
      dialect: { type: 'string', default: 'direct' },
      via: { type: 'boolean', default: false },
      keyed: { type: 'boolean', default: false },
      budget: { type: 'boolean', default: false },
      team: { type: 'boolean', default: false },
      ...MACHINE_FLAGS,
      'only-kills': { type: 'boolean', default: false },
    },
  });
  const given = { ...values, rows: values.rows ?? usualRows(values) };
  const number = (name: 'kills' | 'rows' | 'seed' | 'lanes'): number => wholeNumber(name, given[name]);
  const way = wayOf(values);
  const drives = (['budget', 'team', 'machines'] as const).filter((name) => values[name]);
  if (drives.length > 1) throw new Error(`--${drives.join(' and --')} are two drives.`);
  if (drives.length > 0 && way !== 'direct')
    throw new Error(`--${drives.join()} goes directly to the vendor.`);
  return {
    kills: number('kills'),
    rows: number('rows'),
    seed: number('seed'),
    lanes: values.machines === undefined ? number('lanes') : 1,
    way,
    budget: values.budget,
    team: values.team,
    machines: machinesOf(values),
    mishaps: !values['only-kills'],
  };
}

function usualRows({
  team,
  machines,
}: {
  readonly team: boolean;
  readonly machines?: string | undefined;
}): string {
  if (machines !== undefined) return '20000';
  return team ? '500' : '200';
}

type MachineFlags = Readonly<Partial<Record<keyof typeof MACHINE_FLAGS | MishapName, string | undefined>>>;

function machinesOf(flags: MachineFlags): MachineSettings | undefined {
  if (flags.machines === undefined) return undefined;
  const number = (name: keyof MachineFlags): number => wholeNumber(name, flags[name]);
  return {
    workers: number('machines'),
    most: Object.fromEntries(MISHAP_NAMES.map((name) => [name, number(name)])) as MachineSettings['most'],
    pauseSeconds: number('pause-seconds'),
    wrongClocks: number('wrong-clocks'),
    perSecond: number('per-second'),
    cap: flags.cap === undefined ? undefined : number('cap'),
  };
}

function wholeNumber(name: string, given: string | undefined): number {
  if (/^\d{1,9}$/.test(given ?? '')) return Number(given);
  throw new Error(`--${name} ${given} is not a whole number.`);
}

interface WayFlags {
  readonly dialect: string;
  readonly via: boolean;
  readonly keyed: boolean;
}

function wayOf({ dialect, via, keyed }: WayFlags): Way {
  const other = keyed ? 'keyed' : dialect;
  const named = via ? 'via' : other;
  const way = WAYS.find((each) => each === named);
  if (way !== undefined) return way;
  throw new Error(`--dialect ${named} is none of ${WAYS.join(', ')}.`);
}
