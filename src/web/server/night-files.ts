import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parse, parseDocument, stringify } from 'yaml';
import { type Account, loadAccounts } from '../../client/account/account.ts';
import { stop, suggestion } from '../../core/errors.ts';
import { familyNames, OPERATIONS } from '../../core/families.ts';
import { nightsFolder } from '../../core/paths.ts';
import { foreignName } from '../../core/plain-text.ts';
import { formatOf } from '../../files/input.ts';
import { isUrl } from '../../ledger/store.ts';
import { type Chunks, NewFile, outputProblem, replaceBy, replaceFile } from '../../lib/atomic-file.ts';
import { shellWord } from '../../lib/command-line.ts';
import { isYamlName, nameParts } from '../../lib/file-name.ts';
import { chooseJob, jobOver, refuseChanges, type SweptJob, sweptJobs } from '../../run/choose.ts';
import { lookIntoIfThere } from '../../run/open-ledger.ts';
import { chooseStore } from '../../run/store-choice.ts';
import { accountsOf } from '../../walk/resolved-job.ts';
import type { NewNight, NightDraft, NightWritten } from '../api.ts';
import { cleanName, keptList, writeListJob } from './list-files.ts';
import type { Server } from './server.ts';

/**
 * Nights that were made on the page: each is a job file of the store, and its inbox is a folder beside it. A
 * page names no folder of the machine, so any other inbox has its name in the accounts file, which its user
 * alone writes.
 */

type Place = Pick<Server, 'folder' | 'store' | 'program'>;

/** The paths of the jobs, in the order of their names. */
export async function ownNights({ folder }: Pick<Place, 'folder'>): Promise<readonly string[]> {
  const all = nightsFolder(folder);
  const names = await readdir(all).catch(() => []);
  return names
    .filter((name) => isYamlName(name) && !name.startsWith('.'))
    .sort()
    .map((name) => join(all, name))
    .filter((path) => isNight(readFileSync(path, 'utf8')));
}

/** A night that was removed has a job without an inbox. One that cannot be read is shown with its fault. */
function isNight(text: string): boolean {
  const document = parseDocument(text);
  return document.errors.length > 0 || document.has('inbox');
}

/**
 * What a new night would be. The same wish over the same list is the same draft.
 * @param taken the names of all nights.
 * @throws HttpRefusal 404 for a list that is gone; StopError as a plan would over it, `consent` for what
 *   changes something at a vendor, `usage` for an inbox that the accounts file does not name.
 */
export async function draftNight(place: Place, wish: NewNight, taken: ReadonlySet<string>) {
  const list = await keptList(place, wish.list);
  if (list.job.operation === undefined && list.job.operations === undefined)
    throw stop('usage', `Nothing was chosen for ${list.name} yet.`, 'Open it, and choose what to find.');
  const chosen = await chooseJob({ job: await writeListJob(list, list.job) });
  refuseChanges(list.name, chosen);
  if (wish.inbox !== undefined) await requireInbox(wish.inbox);
  const job = await freeName(nameParts(list.name).stem, taken);
  const [hour, minute] = wish.at.split(':').map(Number);
  const more = {
    budget: { ...list.job.budget, credits: wish.credits },
    inbox: wish.inbox ?? `./${job}`,
    schedule: `${minute} ${hour} * * *`,
  };
  const { location } = chooseStore(place.store, chosen.account.sandbox);
  const whole = await lookIntoIfThere(location, (ledger) => jobOver(chosen, list.path, more, ledger));
  // Without the remarks for a person who writes the next entry.
  const text = stringify(parse(whole), { lineWidth: 0 });
  const path = join(nightsFolder(place.folder), `${job}.yaml`);
  return { job, path, text, id: hash('sha256', `${path}\n${text}`, 'hex').slice(0, 16), chosen, more };
}

export type Draft = Awaited<ReturnType<typeof draftNight>>;

/** As the page shows it. */
export async function draftShown(place: Place, draft: Draft, made: boolean): Promise<NightDraft> {
  const { id, job, path, text, chosen, more } = draft;
  const { path: accountsFile, inboxes } = await loadAccounts();
  const named = inboxes?.get(more.inbox);
  const folder =
    named === undefined
      ? resolve(nightsFolder(place.folder), more.inbox)
      : resolve(accountsFile, '..', named);
  return { id, job, made, ...writtenAs(place, { ...chosen, inbox: folder }, { path, text, ...more }) };
}

/**
 * Writes the job, and makes its inbox. It takes its place when a sweep would take it, so a crash leaves an
 * empty folder and a hidden file, or the whole night.
 * @param check sees the night as a sweep takes it, and may refuse it.
 * @throws StopError where a sweep would not take it. Everything is as it was then.
 */
export async function writeNight(
  { job, path, text, more }: Draft,
  check: (night: SweptJob) => Promise<void>,
): Promise<void> {
  const all = dirname(path);
  const inbox = more.inbox === `./${job}` ? join(all, job) : all;
  const made = await mkdir(inbox, OWN);
  const written = join(all, `.${job}.yaml`);
  try {
    await replaceFile(written, 0o600, [text]);
    for (const night of await sweptJobs([written])) await check(night);
    await replaceBy(written, path);
  } catch (error) {
    await rm(written, { force: true });
    if (made !== undefined && inbox !== all) await rmdir(inbox).catch(() => {});
    throw error;
  }
}

/**
 * Puts a file where the next night takes it, and no sweep sees a part of it. A file of its name stays.
 * @returns its name there.
 * @throws StopError `input` for a file that no night can read, `output` or `disk_full`.
 */
export async function putIntoInbox(inbox: string, named: string, chunks: Chunks): Promise<string> {
  const wanted = cleanName(named).replace(/^[.~]+/, '');
  await formatOf(wanted);
  const { stem, ending } = nameParts(wanted);
  const content = await NewFile.write(inbox, 0o600, chunks).catch((error: unknown) => {
    throw outputProblem(inbox, error);
  });
  try {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wanted : `${stem} (${number})${ending}`;
      if (await content.take(join(inbox, name), async () => false)) return name;
    }
  } finally {
    await content.discard();
  }
}

/** A folder that only its owner can read. */
const OWN = { recursive: true, mode: 0o700 } as const;

/**
 * From now on no sweep takes the job, also none of a crontab. The job stays, because lists that it has begun
 * go on by it, and so does the inbox with its files.
 */
export async function endNight(path: string): Promise<void> {
  const document = parseDocument(await readFile(path, 'utf8'));
  if (document.errors.length > 0) return replaceBy(path, `${path}.removed`);
  for (const entry of ['inbox', 'schedule']) document.delete(entry);
  await replaceFile(path, 0o600, [document.toString({ lineWidth: 0 })]);
}

/** @throws StopError `usage` */
async function requireInbox(name: string): Promise<void> {
  const { inboxes = new Map() } = await loadAccounts();
  if (inboxes.has(name)) return;
  const fact = `The accounts file has no folder ${foreignName(name)} under inboxes.`;
  throw stop('usage', fact, suggestion(name, [...inboxes.keys()]));
}

/** `renewals-q4`: a word for a file, which is no operation and no other night. */
async function freeName(stem: string, taken: ReadonlySet<string>): Promise<string> {
  const plain = stem.normalize('NFKD').toLowerCase().replaceAll(/\p{M}/gu, '');
  const word = plain.replaceAll(/[^a-z0-9]+/g, '-').replaceAll(/^-|-$/g, '');
  const name = word.slice(0, LONGEST_NAME) || 'night';
  const operations = await familyNames(OPERATIONS);
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(free) && !operations.includes(free)) return free;
  }
}

const LONGEST_NAME = 60;

// ------------------------------------------------------------------------------------- without the page

type Written = Pick<NightWritten, 'path' | 'text'> & { readonly schedule: string };

/**
 * The lines by which a night runs without the page. A schedule of the system knows nothing of a shell, so
 * they name the program, the store and the accounts by their paths.
 */
export function writtenAs(
  { store, program }: Pick<Place, 'store' | 'program'>,
  swept: Pick<SweptJob, 'account' | 'dialect' | 'further' | 'inbox'>,
  { path, text, schedule }: Written,
): NightWritten {
  const { location } = chooseStore(store, swept.account.sandbox);
  const where = isUrl(location) ? location : resolve(location);
  const words = [process.execPath, resolve(program.script), 'nightly', '--store', where, '--wait', '2h'];
  const places = PLACES.flatMap((name) => {
    const value = program.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  const variables = accountsOf(swept).flatMap(({ account }) => variablesOf(account));
  const line = [...places, ...words, '--quiet', path].map(shellWord).join(' ');
  const [minute, hour, ...days] = schedule.split(' ');
  const at = [hour, minute].map((part = '') => part.padStart(2, '0')).join(':');
  return {
    path,
    text,
    folder: swept.inbox,
    // A crontab ends a line at a bare percent sign.
    cron: `${schedule} ${line.replaceAll('%', '\\%')}`,
    service: serviceOf(basename(path), [...words, path], places, variables),
    // The fields of a crontab say more than those of a timer.
    timer: days.join(' ') === '* * *' ? `[Timer]\nOnCalendar=*-*-* ${at}\n${OF_TIMER}` : '',
    variables,
  };
}

/** Where the accounts are, and what this machine notes beside its stores. */
const PLACES = ['ROWONCE_CONFIG', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME'] as const;

const variablesOf = ({ key, secrets = {} }: Account): readonly string[] =>
  [key, ...Object.values(secrets)].flatMap((each) => (each.kind === 'environment' ? each.variable : []));

const OF_TIMER = `# A night that the machine slept through is made up for.
Persistent=true

[Install]
WantedBy=timers.target
`;

function serviceOf(
  name: string,
  words: readonly string[],
  places: readonly string[],
  variables: readonly string[],
): string {
  const keys = variables.map((each) => `${each}=…`).join(', ');
  return `[Unit]
Description=Rowonce does ${name}

[Service]
Type=oneshot
${places.map((place) => `Environment=${unitWord(place)}\n`).join('')}ExecStart=${words.map(unitWord).join(' ')}
${keys && `# With ${keys}; chmod 600.\nEnvironmentFile=%h/.config/rowonce/keys.env\n`}SuccessExitStatus=3
TimeoutStopSec=90
`;
}

/** A word of a unit of systemd, which reads quotes, percent signs and dollar signs in its own way. */
function unitWord(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&')}"`;
}
