import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type StopError, stop } from '../../core/errors.ts';
import { FORMATS, OPERATIONS } from '../../core/families.ts';
import { familyNames, loadFamily } from '../../core/family.ts';
import type { Format } from '../../core/format.ts';
import { nearest, suggestion } from '../../core/nearest.ts';
import { foreignName } from '../../core/plain-text.ts';
import { endingOf } from '../../lib/file-name.ts';

/** Refuses a word that stands where a job is wanted and names none, and says what was probably meant. */

/** The folder in which a checkout keeps jobs, and users who copied from one; read for suggestions only. */
const JOBS_FOLDER = 'jobs';

const YAML_ENDING = /\.ya?ml$/i;

export function jobNameOf(path: string): string {
  return basename(path).replace(YAML_ENDING, '');
}

/** Why a word that is no operation cannot be a job either; undefined when it may be the path of one. */
export async function refusedName(argument: string): Promise<StopError | undefined> {
  if (YAML_ENDING.test(argument)) return undefined;
  if (await isInputName(argument)) {
    const fact = `${foreignName(argument)} is an input file, not a job.`;
    return stop('job', fact, 'Name the job first, then the file.');
  }
  return argument.includes('/') ? undefined : unknownJob(argument);
}

/** Whether the word names an input: the job and its file are easily typed in the wrong order. */
async function isInputName(path: string): Promise<boolean> {
  const ending = endingOf(path);
  if (ending === '') return false;
  const formats = [...(await loadFamily<Format>(FORMATS)).values()];
  return formats.some(({ extensions }) => extensions.includes(ending));
}

async function unknownJob(argument: string): Promise<StopError> {
  const operations = await familyNames(OPERATIONS);
  const files = await jobFiles('.', JOBS_FOLDER);
  // A user who types the name of a job file without its folder and ending means that file.
  const meanings = new Map([...files, ...operations].map((each) => [jobNameOf(each), each]));
  const meant = nearest(argument, [...meanings.keys()]);
  const next = suggestion(meanings.get(meant ?? '') ?? argument, [...operations, ...files]);
  return stop('job', `${foreignName(argument)} is neither an operation nor a job file.`, next);
}

/** Answers a path that leads nowhere with the job file of almost the same name, there or among the jobs. */
export async function withNearestFile(path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof Error) || !error.message.endsWith('no such file')) return error;
  const files = await jobFiles(JOBS_FOLDER, dirname(path));
  const meant = nearest(jobNameOf(path), files.map(jobNameOf));
  const file = files.findLast((each) => jobNameOf(each) === meant);
  return file === undefined ? error : stop('job', error.message, `Did you mean ${file}?`);
}

async function jobFiles(...folders: readonly string[]): Promise<readonly string[]> {
  const found = folders.map(async (folder) => {
    const files = await readdir(folder).catch(() => []);
    return files.filter((file) => YAML_ENDING.test(file)).map((file) => join(folder, file));
  });
  return (await Promise.all(found)).flat();
}
