import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PQueue from 'p-queue';
import { stringify } from 'yaml';
import { z } from 'zod';
import { stop } from '../../core/errors.ts';
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

const Draft = z.object({ version: z.number(), job: ListJob });
type Draft = z.output<typeof Draft>;

/** What was chosen so far, so that a reload and another tab go on with it. */
export async function draftOf({ folder }: KeptList): Promise<Draft> {
  return readFile(join(folder, DRAFT), 'utf8').then(
    (text) => Draft.safeParse(JSON.parse(text)).data ?? NOTHING,
    () => NOTHING,
  );
}

const NOTHING: Draft = { version: 0, job: {} };

/** The second of two choices over the same version is refused, because choices are written one by one. */
const line = new PQueue({ concurrency: 1 });

/**
 * @param over the version of the choice that the person saw; left out: whichever there is.
 * @throws StopError `busy` where another tab has chosen something since.
 */
export function keepDraft(list: KeptList, job: ListJob, over?: number): Promise<void> {
  return line.add(async () => {
    const { version } = await draftOf(list);
    if (over !== undefined && over !== version)
      throw stop(
        'busy',
        `Something else was chosen for ${list.name} meanwhile, such as in another tab.`,
        'It is shown now: look at it, and choose again.',
      );
    const draft: Draft = { version: version + 1, job };
    await replaceFile(join(list.folder, DRAFT), 0o600, [JSON.stringify(draft)]);
  });
}
