import { hash } from 'node:crypto';
import { lstat, readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { loadAccounts } from '../../client/account/account.ts';
import {
  type Answers,
  agreedLines,
  isAgreed,
  type Question,
  requireAgreement,
} from '../../client/account/agreements.ts';
import { canonicalJson } from '../../core/call-key.ts';
import { messageOf, stop } from '../../core/errors.ts';
import { suggestion } from '../../core/nearest.ts';
import type { Operation } from '../../core/operation.ts';
import { counted, foreignWords } from '../../core/plain-text.ts';
import { distrustOf } from '../../lib/file-trust.ts';
import { type OwnOperation, operationFrom } from '../own-operation.ts';

/**
 * An operation that a package brings. The code of a package can do all that the user can, so it is loaded only where the accounts
 * file lists it, and once a person has agreed to just these files: to their hash, which is compared before any of them runs.
 */

export const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?rowonce-[a-z0-9][a-z0-9-]*$/;

/** Such a package holds a rule about a row. What is larger is no such package, and would take long to compare. */
const MOST_FILES = 1_000;
const MOST_BYTES = 16 * 1024 * 1024;

const manifestSchema = z.object({
  name: z.string(),
  version: z.string().regex(/^[\w.+-]{1,64}$/),
  exports: z.unknown().optional(),
  main: z.string().optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  optionalDependencies: z.record(z.string(), z.unknown()).optional(),
});

/** What a package is by its files. */
interface Package {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
  /** Path of the file that exports the operation. */
  readonly entry: string;
  readonly files: readonly PackageFile[];
  readonly hash: string;
}

interface PackageFile {
  /** Below the folder, with `/` between its parts. */
  readonly path: string;
  readonly bytes: Buffer;
}

/**
 * The operation of an installed package.
 * @param folders from which it is looked for, in each and above it.
 * @throws StopError `account` where it is not listed, `consent` where nobody has agreed to these files, `job` for a package that
 * is not there or brings no operation.
 */
export async function packageOperation(
  name: string,
  folders: readonly string[],
  answers: Answers,
): Promise<Operation> {
  await requireListed(name);
  const found = await readPackage(name, await folderOf(name, folders));
  await requireAgreement(await questionOf(found), answers);
  const own = await exportedBy(found);
  if (own?.name === name) return operationFrom(own);
  const fact = `The package ${name} exports no operation of its own name.`;
  throw stop('job', fact, `Its default export must be an object with name: '${name}'.`);
}

async function requireListed(name: string): Promise<void> {
  const { path, packages = [] } = await loadAccounts();
  if (packages.includes(name)) return;
  const fact = `The package ${name} is not listed in ${path}, so it does not run.`;
  const meant = packages.length === 0 ? '' : ` ${suggestion(name, packages)}`;
  throw stop('account', fact, `Check the package, then add packages: [${name}] to that file.${meant}`);
}

async function folderOf(name: string, folders: readonly string[]): Promise<string> {
  for (const from of new Set(folders.map((each) => resolve(each)))) {
    for (let at = from; ; at = dirname(at)) {
      const folder = join(at, 'node_modules', ...name.split('/'));
      if ((await stat(join(folder, 'package.json')).catch(() => undefined))?.isFile())
        return realpath(folder);
      if (dirname(at) === at) break;
    }
  }
  const fact = `There is no package ${name} in the node_modules of ${folders.join(' or ')}, or of a folder above.`;
  throw stop('job', fact, `Install it there with npm install ${name}`);
}

async function readPackage(name: string, folder: string): Promise<Package> {
  const refuse = (fact: string, next: string) =>
    stop('job', `The package ${name} in ${folder} ${fact}.`, next);
  const files = await filesIn(folder, refuse);
  const manifest = manifestSchema.safeParse(jsonOf(files.find(({ path }) => path === 'package.json')));
  if (!manifest.success || manifest.data.name !== name)
    throw refuse('has no package.json with its name and version', 'Install it again.');
  const { version, dependencies = {}, optionalDependencies = {} } = manifest.data;
  const needed = Object.keys({ ...dependencies, ...optionalDependencies });
  if (needed.length > 0)
    throw refuse(
      `needs ${needed.map((each) => foreignWords(each)).join(', ')}, which the agreement about its files does not cover`,
      'Ask its author to bundle them.',
    );
  const entry = resolve(folder, entryIn(manifest.data));
  if (!files.some(({ path }) => join(folder, ...path.split('/')) === entry))
    throw refuse(
      'does not name one of its files as exports or main',
      'Ask its author to name one path there.',
    );
  const parts = files.map(({ path, bytes }) => [path, hash('sha256', bytes, 'hex')]);
  const text = canonicalJson(['rowonce-package-1', name, version, parts]);
  return { name, version, folder, entry, files, hash: hash('sha256', text, 'hex') };
}

type Refuse = (fact: string, next: string) => Error;

/** Every file below the folder, in the order of the code units of their paths. */
async function filesIn(folder: string, refuse: Refuse): Promise<readonly PackageFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  if (entries.length > MOST_FILES) throw refuse(`has more than ${MOST_FILES} files`, 'Install another one.');
  const files: PackageFile[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const shown = relative(folder, path).split(sep).join('/');
    if (!entry.isFile() && !entry.isDirectory())
      throw refuse(`has ${foreignWords(shown)}, which is neither a file nor a folder`, 'Install it again.');
    const distrust = distrustOf(path, await lstat(path));
    if (distrust !== undefined) throw refuse(`has ${foreignWords(shown)}: ${distrust.fact}`, distrust.next);
    if (entry.isDirectory()) continue;
    const content = await readFile(path);
    bytes += content.length;
    if (bytes > MOST_BYTES) throw refuse(`has more than ${MOST_BYTES} bytes`, 'Install another one.');
    files.push({ path: shown, bytes: content });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function jsonOf(file: PackageFile | undefined): unknown {
  try {
    return JSON.parse(file?.bytes.toString('utf8') ?? '');
  } catch {
    return undefined;
  }
}

function entryIn({ exports, main = 'index.js' }: z.infer<typeof manifestSchema>): string {
  const { '.': own = exports } = z.looseObject({ '.': z.unknown() }).safeParse(exports).data ?? {};
  return typeof own === 'string' ? own : main;
}

/** 128 bits: nobody makes two packages of one hash, of which a harmless one is shown. */
const HASH_DIGITS = 32;

async function questionOf({ name, version, folder, files, hash }: Package): Promise<Question> {
  const agreement = `package:${hash.slice(0, HASH_DIGITS)}` as const;
  const before = (await isAgreed(agreement)) ? [] : await agreedVersions(name);
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  return {
    agreement,
    fact:
      before.length === 0
        ? `The package ${name} ${version} is a program that runs with your rights`
        : `The package ${name} ${version} has files that differ from those agreed to, which were of ${before.join(', ')}`,
    details: [
      `folder: ${foreignWords(folder, folder.length)}`,
      `files, ${counted(bytes, 'byte')}: ${files.map(({ path }) => foreignWords(path, path.length)).join(', ')}`,
      `package: ${name} ${version} ${hash.slice(0, HASH_DIGITS)}`,
    ],
  };
}

async function agreedVersions(name: string): Promise<readonly string[]> {
  const lines = await agreedLines('package');
  const of = lines.filter((line) => line.startsWith(`package: ${name} `));
  return [...new Set(of.map((line) => line.split(' ')[2] ?? ''))];
}

/** The hash of what this process has loaded, by folder: a module is loaded once, so other files would not be the ones that run. */
const loaded = new Map<string, string>();

async function exportedBy({ name, folder, entry, hash }: Package): Promise<OwnOperation | undefined> {
  if ((loaded.get(folder) ?? hash) !== hash)
    throw stop(
      'job',
      `The package ${name} has changed since this program began.`,
      'Start the program again.',
    );
  loaded.set(folder, hash);
  try {
    const module: { readonly default?: OwnOperation | null } = await import(pathToFileURL(entry).href);
    return module.default ?? undefined;
  } catch (error) {
    const fact = `The package ${name} could not be loaded: ${foreignWords(messageOf(error))}`;
    throw stop('job', fact, 'Tell its author.');
  }
}
