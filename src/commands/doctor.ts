import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { loadAccounts } from '../client/account/account.ts';
import { dialectProblem } from '../client/dialect.ts';
import { agreedIn } from '../client/time.ts';
import { APART_MS, isoTime, systemClock } from '../core/clock.ts';
import { asStop } from '../core/errors.ts';
import { counted } from '../core/plain-text.ts';
import { EXIT } from '../core/stops.ts';
import { isUrl } from '../ledger/store.ts';
import { lookAtLedger } from '../run/open-ledger.ts';
import { chooseStore, isThere } from '../run/store-choice.ts';
import { command } from './shared/command.ts';
import { COMMON } from './shared/input.ts';

/** A problem has its remedy in `next`. */
const Finding = z.object({
  what: z.string(),
  ok: z.boolean(),
  fact: z.string(),
  next: z.string().nullable(),
});
type Finding = z.output<typeof Finding>;

export default command({
  name: 'doctor',
  summary: 'Checks the machine, the store, the accounts and the clock; sends nothing.',
  details: 'It ends with 2 when it found a problem.',
  example: 'doctor',
  faces: ['terminal'],
  input: z.strictObject({ ...COMMON }),
  output: z.object({ findings: z.array(Finding) }),
  async run({ store: named }) {
    const { location } = chooseStore(named, false);
    const findings = [
      fine('machine', `Node ${process.versions.node}, ${process.platform} ${process.arch}`),
      await eventLoop(),
      fine('clock', isoTime(systemClock.wallMs())),
      ...(await store(named)),
      ...(isUrl(location) ? [] : [await disk(location)]),
      ...(await accounts()),
    ];
    return {
      lines: findings.flatMap(({ what, ok, fact, next }) => [
        `${ok ? 'ok     ' : 'problem'}  ${what.padEnd(10)}  ${fact}`,
        ...(next === null ? [] : [`         ${''.padEnd(10)}  ${next}`]),
      ]),
      object: { findings },
      exitCode: findings.every(({ ok }) => ok) ? EXIT.done : EXIT.usage,
    };
  },
});

const fine = (what: string, fact: string): Finding => ({ what, ok: true, fact, next: null });

function finding(what: string, fact: string, ok: boolean, next: string): Finding {
  return ok ? fine(what, fact) : { what, ok, fact, next };
}

/** Measures how late timers fire, because the rate limiter is only as exact as they are. */
async function eventLoop(): Promise<Finding> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await sleep(MEASURED_MS);
  delay.disable();
  const worstMs = delay.max / 1e6;
  const fact = `event loop at most ${worstMs.toFixed(0)} ms late in ${MEASURED_MS} ms`;
  const next = 'Stop other heavy programs, or give the account a lower rate.';
  return finding('load', fact, worstMs < STALL_MS, next);
}

const MEASURED_MS = 500;
const STALL_MS = 200;

/** Reports a system clock that is behind a time which both the clock and a vendor have already reached. */
function timeIn(location: string, agreedMs: number | undefined): Finding {
  if (agreedMs === undefined) return fine('time', `no answer in ${location} has told one yet`);
  const fact = `last told by an answer in ${location}: ${isoTime(agreedMs)}`;
  const next = 'Set the clock of this machine.';
  return finding('time', fact, systemClock.wallMs() >= agreedMs - APART_MS, next);
}

async function store(flag: string | undefined): Promise<readonly Finding[]> {
  const locations = [...new Set([chooseStore(flag, false).location, chooseStore(flag, true).location])];
  return (await Promise.all(locations.map(storeFound))).flat();
}

async function storeFound(location: string): Promise<readonly Finding[]> {
  if (!isThere(location)) return [fine('store', `none yet at ${location}`)];
  try {
    const facts: string[] = [];
    const ledger = await lookAtLedger(location, (fact) => facts.push(fact));
    const batches = await ledger.batches();
    const agreedMs = await agreedIn(ledger);
    await ledger.close();
    const [fact = `${location}, ${counted(batches.length, 'batch', 'batches')}`] = facts;
    const next = 'Restore the newest copy of the store, with all its files.';
    return [finding('store', fact, facts.length === 0, next), timeIn(location, agreedMs)];
  } catch (error) {
    return [problem('store', error)];
  }
}

async function disk(location: string): Promise<Finding> {
  let folder = location;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const { bavail, bsize } = await statfs(folder);
  const freeMiB = Math.floor((bavail * bsize) / 1024 / 1024);
  const fact = `${freeMiB} MiB free at ${folder}`;
  const next = 'Free some space: a million rows take about 300 MiB in the store.';
  return finding('disk', fact, freeMiB >= LEAST_FREE_MIB, next);
}

const LEAST_FREE_MIB = 512;

async function accounts(): Promise<readonly Finding[]> {
  try {
    const { path, configured } = await loadAccounts();
    const names = configured.map(({ name }) => name).join(', ');
    const fact = configured.length === 0 ? `none in ${path}` : `${names} in ${path}`;
    // Each dialect is checked alone, so that one wrong file does not hide another.
    const wrong = (await Promise.all(configured.map(dialectProblem))).filter((each) => each !== undefined);
    return [fine('accounts', fact), ...wrong.map((each) => problem('dialect', each))];
  } catch (error) {
    return [problem('accounts', error)];
  }
}

function problem(what: string, error: unknown): Finding {
  const { message, next, nextCommand } = asStop(error);
  return {
    what,
    ok: false,
    fact: message,
    next: nextCommand === undefined ? next : `${next} ${nextCommand}`,
  };
}
