import { isOutput } from '../../core/our-columns.ts';
import { FOUND_PREFIX, OUR_COLUMNS } from '../../core/row.ts';
import type { OnExisting } from '../../job/job.ts';

export interface KnownJob {
  /** Input → column. */
  readonly columns: Readonly<Record<string, string>>;
  /** The names that its job wanted added; undefined where it took what the answers had. */
  readonly added: readonly string[] | undefined;
  /** What the columns may be called that such a job has got of its answers; undefined where it is not needed. */
  readonly automatic: readonly string[] | undefined;
  /** What its job said of a column of the user's that has such a name. */
  readonly onExisting: OnExisting;
  /** What stands behind the names of its columns that were taken: `person`. */
  readonly word: string;
}

/**
 * Which columns of an output its operations have added, by its header alone: where the list is not there any more, nothing else tells
 * them from the user's. Those of the first operation stand without a gap before our first column; those of the others
 * behind our last one, where a name that is taken has a word of the operation behind it.
 */
export function answerColumnsIn(header: readonly string[], jobs: readonly KnownJob[]): ReadonlySet<string> {
  if (!isOutput(header)) return new Set();
  const end = header.indexOf('_as_of');
  const isAnswer = namesOf(jobs);
  const behind = header.slice(end + 1);
  const words = jobs.map(({ word }) => word).filter((word) => isThere(header, word));
  const later = behind.filter((column) =>
    words.some((word) => isAnswer(column) || isAnswer(column.replace(new RegExp(`_${word}(_\\d+)?$`), ''))),
  );
  return new Set([...firstIn(header, isAnswer, jobs), ...later]);
}

/**
 * Those columns of a file with an earlier output in it that a newer one takes the place of. Where it has all of them, they are ours
 * wherever the user has moved them, unless one of that name was hers even then, because ours got a prefix.
 */
export function earlierAnswersIn(
  header: readonly string[],
  newer: ReadonlySet<string>,
  jobs: readonly KnownJob[],
): ReadonlySet<string> {
  const isEarlier = (name: string): boolean =>
    header.includes(name) && !header.includes(`${FOUND_PREFIX}${name}`);
  const isWhole = isOutput(header) && [...newer].every(isEarlier);
  return isWhole ? newer : answerColumnsIn(header, jobs);
}

/** Whether an operation has its own of our columns behind those of the first. */
function isThere(header: readonly string[], word: string): boolean {
  return OUR_COLUMNS.every((name) => header.includes(`${name}_${word}`));
}

/** A column whose name we had to prefix for our own is the user's, and so is what stands further left. */
function firstIn(
  header: readonly string[],
  isAnswer: (name: string) => boolean,
  jobs: readonly KnownJob[],
): ReadonlySet<string> {
  const sent = new Set(jobs.flatMap(({ columns }) => Object.values(columns)));
  const found = new Set<string>();
  for (const column of header.slice(0, header.indexOf('_status')).toReversed()) {
    if (!isAnswer(column) || sent.has(column) || found.has(`${FOUND_PREFIX}${column}`)) break;
    found.add(column);
  }
  return found;
}

/** Columns that a job was to keep or to fill have cells of the user. */
function namesOf(jobs: readonly KnownJob[]): (name: string) => boolean {
  const names = new Set<string>(OUR_COLUMNS);
  for (const { added, automatic, onExisting } of jobs) {
    const isOurs = onExisting === 'refuse' || onExisting === 'replace';
    for (const name of isOurs ? [...(added ?? []), ...(automatic ?? [])] : []) names.add(name);
  }
  const bare = (name: string): string => (name.startsWith(FOUND_PREFIX) ? name.replace(/_\d+$/, '') : name);
  return (name) => names.has(name) || names.has(bare(name));
}
