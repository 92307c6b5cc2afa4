import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { registerOperations } from './described.ts';
import { invariant } from './errors.ts';
import type { Operation } from './operation.ts';
import { nameVendors } from './vendor-titles.ts';

/**
 * The places of the program's own files: the folders of its families, and the package that they are in. They
 * have the same places in the source and in the build, so this file is built by itself, at its own place.
 */

const HERE = import.meta.url;

/** Folders in which every file is a member; nothing lists them. */
export const OPERATIONS = new URL('../operations/', HERE);
export const DIALECTS = new URL('../client/dialects/', HERE);
export const FORMATS = new URL('../files/formats/', HERE);
export const COMMANDS = new URL('../commands/', HERE);

/**
 * The folder of the build. What only a build has, a program that runs from its sources takes from the last
 * one.
 */
function buildFolder(): URL {
  if (!HERE.endsWith('.ts')) return new URL('../', HERE);
  const built: unknown = JSON.parse(readFileSync(new URL('dist/built-from.json', PACKAGE), 'utf8'));
  invariant(typeof built === 'object' && built !== null && 'build' in built, 'no build');
  return new URL(`dist/${built.build}/`, PACKAGE);
}

/** The files for a browser. */
export const pageFolder = (): URL => new URL('web/', buildFolder());

/** The folder that holds `package.json`. Each build has a folder of its own in `dist/`. */
export const PACKAGE = new URL(HERE.endsWith('.ts') ? '../../' : '../../../', HERE);

/** The dialects that come with Rowonce, by the words of their names. */
export const SHIPPED = new URL('fixtures/dialects/', PACKAGE);

/** The file of a dialect that comes with Rowonce, which an account names by its word, such as `hunter`. */
export function shippedDialect(word: string): string | undefined {
  const path = fileURLToPath(new URL(`${word}.yaml`, SHIPPED));
  return /^[\w-]+$/.test(word) && existsSync(path) ? path : undefined;
}

/** What a shipped dialect says of its vendor. */
export interface ShippedVendor {
  readonly word: string;
  readonly title: string;
  /** Left out where it is unknown, or each customer's own. */
  readonly address?: string;
  readonly operations: readonly string[];
}

/**
 * The vendors with dialects that come with Rowonce, in the order of their words: `build.js` has read them.
 */
export const shippedVendors = (): readonly ShippedVendor[] =>
  JSON.parse(readFileSync(new URL('vendors.json', buildFolder()), 'utf8'));

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
  invariant(typeof manifest === 'object' && manifest !== null && 'version' in manifest, 'no version');
  return String(manifest.version);
}

// --------------------------------------------------------------------------------------- members of a family

/**
 * Finds members that can be added. A folder is a family: each file directly in it default-exports one member,
 * with the file's name as its `name`, without its ending. Members are discovered, so a new one is a new file
 * and no other edit.
 */

/**
 * `csv.ts` in a checkout, `csv.js` in the built package. A second dot excludes the files that the compiler
 * puts beside them: `csv.d.ts` and `csv.js.map`.
 */
const MEMBER_FILE = /^(?<name>[^.]+)\.[jt]s$/;

/** The names of a family's members in name order, without importing any. */
export async function familyNames(folder: URL): Promise<readonly string[]> {
  return [...(await memberFiles(folder)).keys()];
}

/**
 * One member, without importing the rest, so that commands start faster. Undefined when the family has no
 * member of that name; the name may come from a user, and can never lead out of the folder.
 * @throws a bug when the file does not export what its name says.
 */
export async function loadMember<T>(folder: URL, name: string): Promise<T | undefined> {
  const file = (await memberFiles(folder)).get(name);
  return file === undefined ? undefined : importMember(file, name);
}

/**
 * Every member of a family by name, in name order.
 * @throws a bug when a file does not export what its name says.
 */
export async function loadFamily<T>(folder: URL): Promise<ReadonlyMap<string, T>> {
  const files = [...(await memberFiles(folder))];
  const members = files.map(async ([name, file]) => [name, await importMember<T>(file, name)] as const);
  return new Map(await Promise.all(members));
}

/** A process reads each folder once: its build has the members that it has. */
const families = new Map<string, Promise<ReadonlyMap<string, string>>>();

function memberFiles(folder: URL): Promise<ReadonlyMap<string, string>> {
  const path = fileURLToPath(folder);
  const files = families.get(path) ?? filesIn(path);
  families.set(path, files);
  return files;
}

async function filesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  // Sorted by code unit, because the order that a file system lists differs from machine to machine.
  for (const file of (await readdir(path)).sort()) {
    const name = MEMBER_FILE.exec(file)?.groups?.name;
    if (name !== undefined) files.set(name, join(path, file));
  }
  return files;
}

async function importMember<T>(file: string, name: string): Promise<T> {
  const module: { readonly default?: unknown } = await import(pathToFileURL(file).href);
  const exported = module.default;
  invariant(isNamed(exported), `${file} has no default export with a name`);
  invariant(exported.name === name, `${file} exports a member that is named "${exported.name}"`);
  // The caller states the type; the family's contract suite checks the shape.
  return exported as T;
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'object' && value !== null && 'name' in value && typeof value.name === 'string';
}

// ------------------------------------------------------------------------------------------ operations

let describing: Promise<void> | undefined;

/**
 * Hands what the operations say of themselves to `core/described.ts`, and the names of vendors to
 * `core/vendor-titles.ts`. Every command begins with it.
 */
export function describeOperations(): Promise<void> {
  describing ??= (async () => {
    nameVendors(Object.fromEntries(shippedVendors().map(({ word, title }) => [word, title])));
    const operations = [...(await loadFamily<Operation>(OPERATIONS)).values()];
    registerOperations(
      operations.map(({ name, vendor, inputs, resultsFile, described }) => {
        return { name, vendor, inputs: inputs.map((input) => input.name), resultsFile, ...described };
      }),
    );
  })();
  return describing;
}
