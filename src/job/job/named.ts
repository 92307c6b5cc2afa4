import { basename } from 'node:path';
import { type StopError, stop } from '../../core/errors.ts';
import { FORMATS, OPERATIONS } from '../../core/families.ts';
import { familyNames, loadFamily } from '../../core/family.ts';
import type { Format } from '../../core/format.ts';
import { suggestion } from '../../core/nearest.ts';
import { foreignName } from '../../core/plain-text.ts';
import { endingOf } from '../../lib/file-name.ts';

/** Refuses a word that stands where a job is wanted and names none, and says what was probably meant. */

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
  const next = suggestion(argument, await familyNames(OPERATIONS));
  return stop('job', `${foreignName(argument)} is neither an operation nor a job file.`, next);
}
