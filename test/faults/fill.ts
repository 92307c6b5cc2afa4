import { readFileSync } from 'node:fs';
import { AMPLE, FillCourse } from './fill-course.ts';
import type { FillRow } from './fill-judge.ts';
import { FILL_ORDER, listOf, writeAccounts, writeJob, writeList } from './fill-list.ts';
import { FillVendors } from './finders.ts';
import { type Lane, requireCode, type Stage, type Tally } from './kills.ts';
import { type OutputRow, Workplace } from './workplace.ts';

/** A list whose blanks are filled by six vendors, killed until it ends by itself. */

export interface FillSettings {
  readonly rows: number;
  readonly seed: number;
  /** Whether budgets are reached, a key dies and a vendor is away. */
  readonly isDisturbed: boolean;
}

/** It loses some 3 answers in 100, half of them after it has charged for them. */
const LOSSY = 'reset:0.01,charged-reset:0.01,charged-500:0.01,429:0.01,slow:0.005';
export const FILL_VENDORS = { latencyMs: 40, faults: LOSSY };

export async function openFill(settings: FillSettings, { name, random }: Lane, tally: Tally): Promise<Stage> {
  const place = await Workplace.open({ acceptsDoubts: true });
  const { seed, isDisturbed } = settings;
  const vendors = await FillVendors.start({ folder: place.folder, seed, ...FILL_VENDORS });
  const list = listOf(settings.rows, name, random);
  const ledger = { store: place.path('store'), view: async () => place.ledger() };
  const course = new FillCourse({ place, vendors, list, ledger, isDisturbed, tally });
  return {
    place,
    loggedBytes: () => vendors.loggedBytes,
    write: async () => {
      await course.write();
      return course.order;
    },
    run: (order, kill) => course.run(() => kill(order)),
    judge: () => judgeFill(settings, place, course),
    close: async () => {},
    async [Symbol.asyncDispose]() {
      await course[Symbol.asyncDispose]();
      await vendors[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** Brings the list to its end, undisturbed, and holds it against the books. */
export async function judgeFill(settings: FillSettings, place: Workplace, course: FillCourse): Promise<void> {
  const { vendors, ledger, list, isDisturbed, tally } = course.parts;
  await course.runToTheEnd();
  const output = readFileSync(place.path('out.csv'));
  const { loggedBytes } = vendors;
  requireCode(await place.runHere(course.order), [0, 3]);
  const check = await place.typeHere(['store', 'check', '--store', ledger.store]);
  tally.forbid({
    'lists that were not written the same twice': Number(!readFileSync(place.path('out.csv')).equals(output)),
    'requests of a run once more': Number(vendors.loggedBytes > loggedBytes),
    'stores whose books do not add up': Number(check.code !== 0),
  });
  await course.judge();
  if (!isDisturbed)
    tally.forbid({ 'cells not as without kills': await unlikeUndisturbed(settings, place, list) });
}

/** The cells of another store and other vendors of the same knowledge, which lose nothing, in a run that no one kills. */
async function unlikeUndisturbed(
  { seed }: FillSettings,
  place: Workplace,
  list: readonly FillRow[],
): Promise<number> {
  await using other = await Workplace.open({ acceptsDoubts: true });
  await using vendors = await FillVendors.start({ folder: other.folder, seed, latencyMs: 0, faults: '' });
  writeList(other, list);
  await writeAccounts(other, vendors);
  writeJob(other, { credits: AMPLE.total });
  requireCode(await other.runHere(FILL_ORDER), [0, 3]);
  const cells = ({ Email, Email_source, Title, Title_source }: OutputRow) =>
    JSON.stringify([Email, Email_source, Title, Title_source]);
  const [found, wanted] = [place.rows().map(cells), other.rows().map(cells)];
  return wanted.filter((row, at) => row !== found[at]).length + Math.abs(found.length - wanted.length);
}
