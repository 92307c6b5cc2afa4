import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { Clocks } from './clocks.ts';
import { EDITS, EditedList } from './edits.ts';
import { exportTwice } from './exports.ts';
import { badEvery, Gateway } from './gateway.ts';
import {
  type Kill,
  type Lane,
  randomMoment,
  requireCode,
  shortWait,
  type Tally,
  WINDOW_MS,
} from './kills.ts';
import type { List, World } from './lists.ts';
import type { Ended } from './program.ts';
import { domainsOf, type Workplace } from './workplace.ts';

/**
 * What else may happen to a run besides being killed: its list is edited and put back, its clock is wrong, an old copy of the store is
 * put in its place, two exports write to one path, and a proxy answers in the vendor's place. They are mixed at random with kills.
 */

const [HOUR_MS, DAY_MS] = [60 * 60_000, 24 * 60 * 60_000];

/** Just wrong, wrong by hours beside an answer's `Date`, and so wrong that nothing more is sent; in both directions. */
const SHIFTS_MS = [25_000, HOUR_MS / 2, 3 * HOUR_MS, 2 * DAY_MS, 365 * DAY_MS].flatMap((ms) => [ms, -ms]);

/** One call in so many is answered by the proxy; fewer than five in a row, at which the program waits for half a minute. */
const PAGE_EVERY = 60;

const MAY_END_WITH = [0, 2, 3];

export async function openMishaps(place: Workplace, lane: Lane, rows: number, tally: Tally): Promise<World> {
  const { random, name } = lane;
  // The account leads through the proxy from now on.
  const page = { status: random.pick([400, 404, 451, 502]) };
  const gateway = await Gateway.before(place.vendor.url, badEvery(PAGE_EVERY, page, 1));
  place.writeAccount(gateway.url);
  const clocks = new Clocks(place.path('clock.json'));
  const runByWrongClock = async (list: List, kill: Kill): Promise<Ended> => {
    const shift = { wallMs: random.pick(SHIFTS_MS) };
    const steps = random.integer(1, 2) === 1;
    clocks.set(steps ? {} : shift);
    const running = kill({ ...list, env: clocks.env }, MAY_END_WITH);
    if (steps) await Promise.race([delay(random.fraction() * 2 * WINDOW_MS), running]);
    clocks.set(shift);
    tally.see('runs by a wrong clock', 1);
    return running;
  };
  return {
    write: (at) => {
      const list = { input: `list-${at}.csv`, output: `out-${at}.csv` };
      place.writeList(domainsOfList(`${name}-list-`, at, rows), list.input);
      return list;
    },
    run: async (list, kill) => {
      await gateway.quiet();
      if (random.integer(1, 8) === 1) await runOverOldCopy(place, list, tally);
      const chance = random.integer(1, 6);
      if (chance === 1 && !tally.isDone) return runEdited(place, list, lane, tally);
      return chance <= 3 ? runByWrongClock(list, kill) : kill(list);
    },
    after: async (batch, whole) => {
      const killAfterMs = random.fraction() * 600;
      const wrong = await exportTwice(place, {
        ...{ stores: ['store', 'store'], batch, output: 'both.csv', whole: [whole] },
        kill: async (program) => {
          await shortWait(program, killAfterMs);
          await program.kill();
        },
      });
      rmSync(place.path('both.csv'), { force: true });
      tally.see('two exports at once, one killed', 1);
      tally.forbid({ 'exports that are not whole': wrong.length });
      rmSync(place.path(OLD), { recursive: true, force: true });
      cpSync(place.path('store'), place.path(OLD), { recursive: true });
    },
    [Symbol.asyncDispose]: async () => {
      const pages = gateway.pages.alone + gateway.pages.reached;
      tally.see("pages of a proxy in the vendor's place", pages);
      tally.doubts.lost += pages;
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** The list is edited at a random moment. One time in three that is undone while the run goes on, one time in three the run is killed. */
async function runEdited(place: Workplace, order: List, { random }: Lane, tally: Tally): Promise<Ended> {
  const list = new EditedList(place.path(order.input));
  const program = place.start(order);
  await randomMoment(place, program, random);
  list.edit(random.pick(EDITS));
  await shortWait(program, random.fraction() * WINDOW_MS);
  const next = random.integer(1, 3);
  if (next === 1) list.putBack();
  const ended = requireCode(await (next === 2 ? program.kill() : program.ended), MAY_END_WITH);
  list.putBack();
  tally.see('lists edited under a run, and put back', 1);
  if (ended.signal !== null) tally.doubts.lost += place.concurrency;
  return ended;
}

const OLD = 'store-as-it-was';

/**
 * An older copy of the store spends nothing, once it is known outside of the store that more was done since: after a kill that may
 * be so a second later only, and until then nobody can tell the copy from the newest.
 */
async function runOverOldCopy(place: Workplace, list: List, tally: Tally): Promise<void> {
  if (!isKnownToBeOlder(place)) return;
  const [store, aside] = [place.path('store'), place.path('store-aside')];
  renameSync(store, aside);
  cpSync(place.path(OLD), store, { recursive: true });
  const before = await place.vendor.book();
  const { code } = await place.run(list);
  const after = await place.vendor.book();
  rmSync(store, { recursive: true });
  renameSync(aside, store);
  tally.see('runs over an old copy of the store', 1);
  tally.forbid({
    'runs over an old copy that went on': Number(code !== 2 || after.requests > before.requests),
  });
}

function isKnownToBeOlder(place: Workplace): boolean {
  if (!existsSync(place.path(OLD))) return false;
  const database = new Database(place.path(`${OLD}/ledger.db`), { readonly: true });
  const sql = `SELECT value AS identity, (SELECT coalesce(max(id), 0) FROM calls) AS newest FROM meta WHERE name = 'identity'`;
  const { identity, newest } = database.prepare(sql).get() as { identity: string; newest: number };
  database.close();
  const note = readFileSync(place.path(`state/rowonce-ledgers/${identity}`), 'utf8');
  return Number(note.split(' ')[0]) > newest;
}

/** One row in ten asks what an earlier row of the list asks, one in ten what the list before has asked. */
function domainsOfList(name: string, at: number, rows: number): readonly string[] {
  const own = domainsOf(`${name}${at}`, rows);
  const before = domainsOf(`${name}${Math.max(at - 1, 0)}`, rows);
  return own.map((domain, index) => {
    if (index % 10 === 7) return own[index - 5] ?? domain;
    return index % 10 === 9 ? (before[index - 1] ?? domain) : domain;
  });
}
