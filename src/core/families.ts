import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { invariant } from './errors.ts';

/**
 * The places of the program's own files: the folders of its families, and the package that they are in. They
 * have the same places in the source and in the build, so this file is built by itself, at its own place.
 */

const HERE = import.meta.url;

/** Folders in which every file is a member; nothing lists them (`family.ts`). */
export const OPERATIONS = new URL('../operations/', HERE);
export const DIALECTS = new URL('../client/dialects/', HERE);
export const FORMATS = new URL('../files/formats/', HERE);
export const COMMANDS = new URL('../commands/', HERE);

/**
 * The files for a browser. Only a build has them, so a program that runs from its sources takes them from the
 * last build.
 */
export function pageFolder(): URL {
  if (!HERE.endsWith('.ts')) return new URL('../web/', HERE);
  const built: unknown = JSON.parse(readFileSync(new URL('dist/built-from.json', PACKAGE), 'utf8'));
  invariant(typeof built === 'object' && built !== null && 'build' in built, 'no build');
  return new URL(`dist/${built.build}/web/`, PACKAGE);
}

/** The folder that holds `package.json`. Each build has a folder of its own in `dist/`. */
export const PACKAGE = new URL(HERE.endsWith('.ts') ? '../../' : '../../../', HERE);

/** The dialects that come with Rowonce, by the words of their names. */
export const SHIPPED = new URL('fixtures/dialects/', PACKAGE);

/** The file of a dialect that comes with Rowonce, which an account names by its word, such as `hunter`. */
export function shippedDialect(word: string): string | undefined {
  const path = fileURLToPath(new URL(`${word}.yaml`, SHIPPED));
  return /^[\w-]+$/.test(word) && existsSync(path) ? path : undefined;
}

export function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8'));
  invariant(typeof manifest === 'object' && manifest !== null && 'version' in manifest, 'no version');
  return String(manifest.version);
}
