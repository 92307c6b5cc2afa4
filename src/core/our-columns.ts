import { ATTENTION_COLUMNS, OUR_COLUMNS } from './row.ts';

/**
 * Recognises our columns of a file by its header alone. All code that asks whether we wrote a file asks here.
 * The set of them may differ from build to build, so a file may have fewer of ours, or more.
 */

/** The columns that every build has. */
const STATUS = '_status';
const REASON = '_reason';

interface Block {
  /** What stands behind each of the names: nothing, or a number, as `ourNamesBeside` gives it. */
  readonly suffix: string;
  readonly columns: readonly string[];
}

function blockIn(header: readonly string[]): Block | undefined {
  const there = new Set(header);
  const suffixes = header.flatMap((name) => /^_status(?<suffix>(?:_\d+)?)$/.exec(name)?.groups?.suffix ?? []);
  const others = OUR_COLUMNS.filter((name) => name !== STATUS && name !== REASON);
  const suffix = suffixes.find(
    (each) => there.has(REASON + each) && others.some((name) => there.has(name + each)),
  );
  if (suffix === undefined) return undefined;
  const known = new Set(OUR_COLUMNS.map((name) => name + suffix));
  const first = header.indexOf(STATUS + suffix);
  const last = header.findLastIndex((name) => known.has(name));
  // What stands between ours, and is called like them, is of another build.
  const isOfOtherBuild = (name: string, at: number): boolean =>
    at > first &&
    at < last &&
    name.endsWith(suffix) &&
    OUR_FORM.test(name.slice(0, -suffix.length || undefined));
  return { suffix, columns: header.filter((name, at) => known.has(name) || isOfOtherBuild(name, at)) };
}

const OUR_FORM = /^_(?!row$)[a-z]+(?:_[a-z]+)*$/;

/**
 * Whether a file is an output of ours: `_status` and `_reason` stand in it beside any other of ours. One of
 * our names alone is the user's.
 */
export const isOutput = (header: readonly string[]): boolean => blockIn(header) !== undefined;

/** Whether a file is a needs-attention file of ours. */
export const isAttention = (header: readonly string[]): boolean =>
  !isOutput(header) && ATTENTION_COLUMNS.every((name) => header.includes(name));

/** The columns of an earlier run, also of another build. Any other column is the user's. */
export const ourColumnsIn = (header: readonly string[]): readonly string[] =>
  blockIn(header)?.columns ?? (isAttention(header) ? ATTENTION_COLUMNS : []);

/** The place of the first of our columns of an output; -1 in a file that is none. */
export const outputStart = (header: readonly string[]): number => {
  const ours = blockIn(header)?.columns;
  return ours === undefined ? -1 : header.findIndex((name) => ours.includes(name));
};

/** The name of the status of an output. */
export const statusColumn = (header: readonly string[]): string => STATUS + (blockIn(header)?.suffix ?? '');

/**
 * The names that our columns get behind those of a list. Where the user has a column of one of these names,
 * in any case of letters, all of ours get the same number.
 */
export function ourNamesBeside(header: readonly string[]): readonly string[] {
  const ours = new Set(ourColumnsIn(header));
  const suffix = freeSuffix(header.filter((name) => !ours.has(name)));
  return OUR_COLUMNS.map((name) => name + suffix);
}

function freeSuffix(theirs: readonly string[]): string {
  const taken = new Set(theirs.map((name) => name.trim().toLowerCase()));
  const isFree = (suffix: string): boolean => OUR_COLUMNS.every((name) => !taken.has(name + suffix));
  let suffix = '';
  for (let number = 2; !isFree(suffix); number += 1) suffix = `_${number}`;
  return suffix;
}

/**
 * The header of an output whose columns of ours are called as those of another file are, or will be.
 * @param other the header of the file that gets them.
 */
export function calledAsIn(header: readonly string[], other: readonly string[]) {
  const ownBlock = blockIn(header);
  const suffix = blockIn(other)?.suffix ?? freeSuffix(other);
  const named = (name: string): string =>
    ownBlock?.columns.includes(name) === true
      ? name.slice(0, -ownBlock.suffix.length || undefined) + suffix
      : name;
  return { header: header.map(named), suffix };
}
