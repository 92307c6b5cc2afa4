import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { replaceFile } from '../../lib/atomic-file.ts';
import { ListJob } from '../api.ts';
import { type KeptList, ownFolder } from './list-files.ts';

/**
 * What a person chose on the page for a list, in the words of a job file. It becomes a job file beside the
 * list, so that the command line does the same by it and a batch keeps its command.
 */

/** Writes the job. The same job is the same file. @returns its path. */
export async function writeListJob({ folder }: KeptList, job: ListJob): Promise<string> {
  const text = stringify(job);
  const jobs = await ownFolder(folder, 'jobs');
  const path = join(jobs, `${hash('sha256', text, 'hex').slice(0, 16)}.yaml`);
  await replaceFile(path, 0o600, [text]);
  return path;
}

const DRAFT = 'draft.json';

/** What was chosen so far, so that a reload and another tab go on with it. */
export async function draftOf({ folder }: KeptList): Promise<ListJob> {
  return readFile(join(folder, DRAFT), 'utf8').then(
    (text) => ListJob.safeParse(JSON.parse(text)).data ?? {},
    () => ({}),
  );
}

export async function keepDraft({ folder }: KeptList, job: ListJob): Promise<void> {
  await replaceFile(join(folder, DRAFT), 0o600, [JSON.stringify(job)]);
}
