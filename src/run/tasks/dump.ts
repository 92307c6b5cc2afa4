import { writeFile } from 'node:fs/promises';
import { stop } from '../../core/errors.ts';
import { type KnownSubject, Team } from '../../core/membership.ts';
import { isObject } from '../../core/objects.ts';
import type { Job } from '../../job/job.ts';
import { outputProblem } from '../../lib/atomic-file.ts';
import { csvLine } from '../../lib/csv-line.ts';
import { type RemoteMembers, withLive } from '../../plan/team/remote-members.ts';
import { noteFile } from '../looker-notes.ts';
import { type MembersOptions, membersNow } from '../members-now.ts';
import { lookIntoIfThere } from '../open-ledger.ts';
import { choose } from '../run-job.ts';
import { chooseStore } from '../store-choice.ts';

/**
 * Writes a list of who is in the projects of a job, as the job would read it: by the service's own lists where the dialect names
 * some, else by what the ledger remembers. It changes nothing, and a plan of it finds nothing to do.
 */

export interface DumpOptions extends MembersOptions {
  readonly job: string;
  readonly account?: string | undefined;
  readonly store?: string | undefined;
  readonly output: string;
}

export interface Dumped {
  readonly output: string;
  readonly people: number;
  readonly projects: readonly string[];
  /** What the list was made from, project by project where the service tells only some of it. */
  readonly from: 'service' | 'ledger' | 'both';
  /** People who are in doubt, or of whom it is not known whether they are there: they are not in the list. */
  readonly unsure: readonly string[];
}

export async function dumpTeam({ job: named, output, store, ...options }: DumpOptions): Promise<Dumped> {
  const { job, account, dialect } = await choose({ job: named, account: options.account });
  const { inputs, change, name } = job.operation;
  if (change === undefined || !inputs.some((each) => each.name === 'email'))
    throw stop(
      'usage',
      `${name} does not work on a team, so there is none to write down.`,
      'Name a job of onboard.',
    );
  const { location } = chooseStore(store, account.sandbox);
  return lookIntoIfThere(location, async (ledger) => {
    const known = (await ledger?.subjects(account.identity)) ?? [];
    const projects = projectsOf(job, account.projectId, known);
    const live = await membersNow({ account, dialect }, options, projects);
    const people = withLive(known, live).filter(({ subject }) => projects.includes(subject.project ?? ''));
    const there = new Team(people).all.filter(isThere);
    const lines = [headerOf(job), ...there.map((each) => rowOf(job, each))].map(csvLine);
    await writeNew(output, lines.join(''));
    await noteFile(location, output);
    return {
      ...{ output, people: there.length, projects, from: sourceOf(live) },
      unsure: people.filter(isUnsure).map(({ subject, facts }) => facts?.email ?? subject.name),
    };
  });
}

const isThere = ({ facts, doubt }: KnownSubject): boolean =>
  doubt === undefined &&
  (facts?.state === 'invited' || facts?.state === 'member') &&
  (facts.email ?? facts.userId) !== undefined;

const isUnsure = ({ facts, doubt }: KnownSubject): boolean =>
  doubt !== undefined || facts?.state === 'unsure' || facts?.state === 'between';

function sourceOf(live: RemoteMembers | undefined): Dumped['from'] {
  if (live === undefined) return 'ledger';
  return live.projects.every(({ users, invites }) => users && invites) ? 'service' : 'both';
}

/** Those that the job names, that of the account, and those in which people of earlier lists are. */
function projectsOf(
  job: Job,
  ofAccount: string | undefined,
  known: readonly KnownSubject[],
): readonly string[] {
  const named = [...idsByName(job).values()];
  const remembered = known.flatMap(({ subject }) => subject.project ?? []);
  const all = named.length > 0 ? named : [...(ofAccount === undefined ? [] : [ofAccount]), ...remembered];
  return [...new Set(all)].sort();
}

function idsByName({ settings }: Job): ReadonlyMap<string, string> {
  const { projects } = settings ?? {};
  const entries = isObject(projects) ? Object.entries(projects) : [];
  return new Map(entries.flatMap(([name, id]) => (typeof id === 'string' ? [[name, id] as const] : [])));
}

/** The headers that the job reads; a project stands by its name where the job has names. */
function headerOf(job: Job): readonly string[] {
  const of = (input: string): string => job.columns?.[input] ?? input;
  return [of('email'), of('role'), of(idsByName(job).size > 0 ? 'project' : 'project_id'), of('user_id')];
}

function rowOf(job: Job, { subject, facts }: KnownSubject): readonly string[] {
  const id = subject.project ?? '';
  const name = [...idsByName(job)].find(([, each]) => each === id)?.[0];
  const { email = '', role = '', state, userId = '' } = facts ?? { state: 'gone' };
  return [email, role, name ?? id, state === 'member' ? userId : ''];
}

async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST'))
      throw outputProblem(path, error, '--dump');
    throw stop(
      'output',
      `${path} is there already, and nothing of it was changed.`,
      'Name another file after --dump.',
    );
  }
}
