import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Slip, StopError, stop } from '../core/errors.ts';
import { PACKAGE } from '../core/families.ts';
import { EXIT, type ExitCode } from '../core/stops.ts';

/** Command lines: the meaning of flags' values, and commands in the form in which a user types them again. */

/** Whether a word of a command is a vendor's line of curl. */
export const isCurl = (word: string): boolean => /^\s*\$?\s*curl(?:\.exe)?\s/.test(word);

export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const meant = /^[$€£]?(\d{1,3}(?:[,_' ]\d{3})*)(?: ?credits)?$/.exec(text)?.[1]?.replace(/\D/g, '');
  const next = `Give ${flag} as digits, such as ${meant ?? 500}.`;
  const advice = meant === undefined ? next : { next, again: { typed: text, meant } };
  throw stop('usage', `${flag} ${text} is not a whole number.`, advice);
}

/**
 * The store of the command with which this process was started, where another command would not look into it
 * by itself.
 */
let namedStore: string | undefined;

/** Makes every command that is printed from here on name the store. */
export function nameStore(location: string | undefined): void {
  namedStore = location;
}

/** The store of a program's call. Several calls may run side by side. */
const storeOfCall = new AsyncLocalStorage<string | undefined>();

/** The same for the call that runs here, until another one begins. */
export function nameStoreOfCall(location: string | undefined): void {
  if (location !== storeNamed()) storeOfCall.enterWith(location);
}

const storeNamed = (): string | undefined => storeOfCall.getStore() ?? namedStore;

/**
 * A command of this program as a user types it here, with the same store.
 * @param words the words behind the program's name.
 */
export function commandLine(words: readonly string[]): string {
  const store = storeNamed();
  const whole = store === undefined || !takesStore(words) ? words : withOption(words, '--store', store);
  return [...programName(), ...whole].map(shellWord).join(' ');
}

/** These commands work with no store, or have theirs as an argument. */
const WITHOUT_STORE: ReadonlySet<string> = new Set([
  'accounts',
  'sandbox',
  'store init',
  'store copy',
  'store caps',
]);

function takesStore(words: readonly string[]): boolean {
  const [first = '', second] = words;
  const isOther = first === '' || WITHOUT_STORE.has(first) || WITHOUT_STORE.has(`${first} ${second}`);
  return (
    !isOther && !words.some((word) => word === '--help' || word === '--store' || word.startsWith('--store='))
  );
}

/** After a stop with these codes the same command goes on, once the cause is gone. */
const GOES_ON: readonly ExitCode[] = [EXIT.budget, EXIT.paused, EXIT.key, EXIT.interrupted, EXIT.terminated];

/** Work that a command goes on with. A stop before the work has begun also names this command. */
export async function resumedBy<T>(command: () => string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StopError) || !GOES_ON.includes(error.exitCode)) throw error;
    throw new StopError({ nextCommand: command(), ...error.detail }, { cause: error });
  }
}

interface DeclaredOptions {
  readonly options: readonly {
    readonly short?: string | undefined;
    readonly long?: string | undefined;
    readonly required: boolean;
    readonly optional: boolean;
  }[];
}

/** The same command with another argument. A word behind an option is its value, and stays. */
export function withArgument(
  words: readonly string[],
  { options }: DeclaredOptions,
  from: string,
  to: string,
): readonly string[] {
  const takesValue = (word: string | undefined): boolean =>
    word !== undefined &&
    options.some((each) => (each.required || each.optional) && [each.short, each.long].includes(word));
  return words.map((word, at) => (word === from && !takesValue(words[at - 1]) ? to : word));
}

/** The same command with the word that was meant, in the place of the typed word or of a part of it. */
export function withMeant(words: readonly string[], { typed, meant }: Slip): readonly string[] {
  const isTyped = (word: string): boolean => word === typed || resolve(word) === typed;
  const at = words.findIndex(isTyped);
  const other = words.indexOf(meant);
  const isSwapped = other > at && !meant.startsWith('-');
  // When the meant word stands in the place of another, the two change places.
  if (at >= 0) return isSwapped ? words.with(at, meant).with(other, typed) : words.with(at, meant);
  const pair = words.findIndex((word) => word.split(/[=,]/).some(isTyped));
  const parts = words[pair]?.split(/([=,])/).map((part) => (isTyped(part) ? meant : part));
  return parts === undefined ? words : words.with(pair, parts.join(''));
}

/**
 * The same command with an option. The former value of that option, or of the option that it replaces, is
 * left out.
 */
export function withOption(
  words: readonly string[],
  option: string,
  value: string | number,
): readonly string[] {
  const otherWords = withoutOption(words, option);
  const end = optionsEnd(otherWords);
  return [...otherWords.slice(0, end), option, String(value), ...otherWords.slice(end)];
}

/** The same command with one more value of an option that is typed once for each. */
export function withAnother(words: readonly string[], option: string, value: string): readonly string[] {
  const end = optionsEnd(words);
  return [...words.slice(0, end), option, value, ...words.slice(end)];
}

/** The same command with a flag that takes no value. */
export function withFlag(words: readonly string[], flag: string): readonly string[] {
  const otherWords = withoutFlag(words, flag);
  const end = optionsEnd(otherWords);
  return [...otherWords.slice(0, end), flag, ...otherWords.slice(end)];
}

export function withoutOption(words: readonly string[], option: string): readonly string[] {
  const end = optionsEnd(words);
  const isOfOption = (word: string, at: number): boolean =>
    word === option || word.startsWith(`${option}=`) || words[at - 1] === option;
  return words.filter((word, at) => at >= end || !isOfOption(word, at));
}

export function withoutFlag(words: readonly string[], flag: string): readonly string[] {
  const end = optionsEnd(words);
  return words.filter((word, at) => at >= end || word !== flag);
}

/**
 * The words that go on with the batch of the command typed just now. With `--refresh` they would begin
 * another batch.
 * @param budget one that is enough, where its own is reached.
 */
export function nextCommand(words: readonly string[], budget?: number): string {
  const again = withoutRefresh(words);
  // Only a run takes a budget.
  const isShort = budget !== undefined && words[0] === 'run';
  return commandLine(isShort ? withOption(again, '--budget', budget) : again);
}

/** The words that go on with a batch. With `--refresh` they would begin another batch. */
function withoutRefresh(words: readonly string[]): readonly string[] {
  if (!words.includes('--refresh')) return words;
  const bare = withoutFlag(words, '--refresh');
  if (words[0] !== 'run') return bare;
  // A user who named a plan has agreed to that plan alone, so `--yes` is left out together with the plan.
  const planless = withoutOption(bare, '--plan');
  return planless.length === bare.length ? bare : withoutFlag(planless, '--yes');
}

/** A flag as it is typed with its value: pairs one by one, a list in one word. */
export function flagWords(flag: string, value: unknown): readonly string[] {
  if (value === true) return [flag];
  if (Array.isArray(value)) return [flag, value.join(',')];
  const texts =
    value instanceof Object ? Object.entries(value).map((pair) => pair.join('=')) : [String(value)];
  return texts.flatMap((text) => [flag, text]);
}

/** A path as it is typed here. */
export function nearPath(path: string): string {
  const way = relative(currentFolder() ?? sep, path);
  return way === '' || /^(?:-|\.\.(?:$|[/\\]))/.test(way) || isAbsolute(way) ? path : way;
}

/** The advice where a sweep reaches a budget: its command takes none. */
export const raiseInJob = (budget: number): string =>
  `Raise the budget of the job to ${budget}, and the next sweep continues.`;

/** The place where options end: behind a bare `--` every word is an argument. */
export function optionsEnd(words: readonly string[]): number {
  return words.includes('--') ? words.indexOf('--') : words.length;
}

export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * What this program is called in a folder, mostly the current one. Every command that is printed begins with
 * it, so that it works where it was printed, and starts this program and no other one of that name.
 */

const PROGRAM = fileURLToPath(new URL('src/bin.js', PACKAGE));
const ROOT = dirname(dirname(PROGRAM));
const BINS = join('node_modules', '.bin');

const BY_NPX = ['npx', 'rowonce'];

const known = new Map<string, readonly string[]>();

/** The program alone as a page says it, which names no path of the machine. */
export function programWords(): string {
  const name = programName();
  return name.includes(PROGRAM) ? 'rowonce' : name.join(' ');
}

function programName(): readonly string[] {
  const folder = currentFolder();
  const { PATH = '' } = process.env;
  const place = `${folder}\n${PATH}`;
  const name = known.get(place) ?? nameIn(folder, PATH);
  known.set(place, name);
  return name;
}

function nameIn(folder: string | undefined, path: string): readonly string[] {
  if (onPath('rowonce', path) === PROGRAM) return ['rowonce'];
  if (folder !== undefined && isFoundByNpx(folder)) return BY_NPX;
  const isUsual = onPath('node', path) === resolvedPath(process.execPath);
  return [isUsual ? 'node' : process.execPath, PROGRAM];
}

function currentFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/**
 * The file that a shell starts by a name. npm puts folders of its own on the path, only for programs that it
 * starts.
 */
function onPath(name: string, path: string): string | undefined {
  const folders = path.split(delimiter).filter((each) => isAbsolute(each) && !each.endsWith(BINS));
  return firstReal(folders.map((each) => join(each, name)));
}

/**
 * Whether npx finds the command: npx starts a command that the package around the folder offers, or else one
 * that is installed in the folder or above it.
 */
function isFoundByNpx(folder: string): boolean {
  const folders = withParents(folder);
  const isPackage = (each: string): boolean =>
    ['package.json', 'node_modules'].some((name) => existsSync(join(each, name)));
  if (folders.find(isPackage) === ROOT) return true;
  return firstReal(folders.map((each) => join(each, BINS, 'rowonce'))) === PROGRAM;
}

function withParents(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...withParents(parent)];
}

function firstReal(paths: readonly string[]): string | undefined {
  return paths.map(resolvedPath).find((found) => found !== undefined);
}

function resolvedPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
