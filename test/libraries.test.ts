/**
 * Goal: npm installs what runs, and nothing that does not, so that `npm audit` looks at what runs; what the page has inside brings its
 * licences along.
 * Method: every import in what was built is held against `package.json`, and the maps of the built files against `node_modules`.
 */
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist', String(process.env.ROWONCE_BUILD));

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { dependencies } = json(join(ROOT, 'package.json')) as { readonly dependencies: object };
const { packages } = json(join(ROOT, 'package-lock.json'));

/** `@hono/node-server` of `@hono/node-server/conninfo`. */
const nameOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '';

/** What a file asks of others by name: not by its place, and not of Node. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const asked = text.matchAll(/^(?:import|export) .*?from "([^"]+)";$|\b(?:import|require)\("([^"]+)"\)/gm);
  const names = Array.from(asked, ([, stated, late]) => stated ?? late ?? '');
  return names.filter((name) => !name.startsWith('.') && !isBuiltin(name)).map(nameOf);
}

test('what is imported by name is what npm installs, and the reverse', () => {
  const files = globSync('**/*.js', { cwd: BUILT, exclude: ['web/**'] });
  const imports = new Set(files.flatMap((path) => importsOf(join(BUILT, path))));
  expect([...imports].sort()).toEqual(Object.keys(dependencies).sort());
});

test('no library is built in', () => {
  const maps = globSync('**/*.js.map', { cwd: BUILT });
  const sources = maps.flatMap((path) => json(join(BUILT, path)).sources as readonly string[]);
  const builtIn = new Set(
    sources.flatMap((source) => /.*node_modules\/(.*)/.exec(source)?.[1] ?? []).map(nameOf),
  );
  expect([...builtIn]).toEqual([]);
});

test('the licences of what is inside the script of the page stand beside it', () => {
  const licences = readFileSync(join(BUILT, 'web', 'LICENSES'), 'utf8');
  expect(licences.match(/Copyright .*/g)).toHaveLength(3);
});

test('npm can install from the lock file on every platform: nothing that a library asks for is left out of it', () => {
  const asking = Object.entries(
    packages as Readonly<Record<string, { readonly optionalDependencies?: object }>>,
  );
  const asked = asking.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).map((name) => ({ path, name })),
  );
  expect(asked.length).toBeGreaterThan(20);
  const isLocked = ({ path, name }: (typeof asked)[number]): boolean =>
    [`${path}/node_modules/${name}`, `node_modules/${name}`].some((place) => Object.hasOwn(packages, place));
  expect(asked.filter((each) => !isLocked(each))).toEqual([]);
});
