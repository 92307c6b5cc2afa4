import { stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import type { YamlDocument } from '../../lib/yaml/document.ts';
import { type KeyPath, problemOf } from '../../lib/yaml/schema-problem.ts';
import { type JobFile, jobSchema } from './job-schema.ts';

/**
 * Entries that are said beside a job, on a command line or by a program, in the words of its file. They are laid over the file before
 * it is checked, so that whatever holds for an entry of a file holds for them.
 */

export interface JobEntries {
  /** Input → column, over those of the job or the guessed ones. A blank column leaves the input out. */
  readonly columns?: Readonly<Record<string, string>>;
  /** New column → path in the answer, beside those of the job. A blank path leaves the column out. */
  readonly add?: Readonly<Record<string, string>>;
  /** In the place of the job's. */
  readonly waterfall?: readonly string[];
  /** Which role a person gets, for all rows. */
  readonly role?: string;
  /** Word of the sheet → role, beside those of the job. */
  readonly roles?: Readonly<Record<string, string>>;
}

const FLAGS: Readonly<Record<keyof JobEntries, string>> = {
  columns: '--column',
  add: '--add',
  waterfall: '--waterfall',
  role: '--role',
  roles: '--role',
};

export function isAnythingSaid(entries: JobEntries): boolean {
  return Object.keys(entries).length > 0;
}

/** @returns the job with the entries, in which a problem with one of them is said by its flag. @throws StopError `usage`. */
export function withEntries(
  document: YamlDocument<JobFile>,
  { columns, add, roles, ...others }: JobEntries,
): YamlDocument<JobFile> {
  const { value } = document;
  const merged = {
    ...value,
    ...others,
    ...present({
      columns: columns === undefined ? value.columns : { ...value.columns, ...columns },
      add: merge(value.add, add),
      roles: merge(value.roles, roles),
    }),
  };
  const said: JobEntries = { ...others, ...present({ columns, add, roles }) };
  const problem: YamlDocument<JobFile>['problem'] = (keys, part, fact, next) => {
    const flag = flagOf(said, keys);
    return flag === undefined
      ? document.problem(keys, part, fact, next)
      : stop('usage', `${flag}: ${fact}.`, next);
  };
  const checked = jobSchema.safeParse(merged);
  if (checked.success) return { ...document, value: checked.data, problem };
  const { keys, part, fact, next } = problemOf(jobSchema, merged, checked.error.issues);
  throw problem(keys, part, fact, next);
}

type Names = Readonly<Record<string, string>>;

function merge(written: Names | undefined, said: Names | undefined): Names | undefined {
  if (said === undefined) return written;
  const kept = Object.entries({ ...written, ...said }).filter(([, value]) => value !== '');
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Undefined for an entry that stands in the file. */
function flagOf(said: JobEntries, [entry, name]: KeyPath): string | undefined {
  if (!isSaid(said, entry)) return undefined;
  const value = said[entry];
  const isNamed = typeof value === 'object' && !Array.isArray(value) && name !== undefined;
  if (isNamed && !Object.hasOwn(value, name)) return undefined;
  return FLAGS[entry];
}

function isSaid(said: JobEntries, entry: PropertyKey | undefined): entry is keyof JobEntries {
  return entry !== undefined && Object.hasOwn(said, entry);
}
