/**
 * Goal: npm installs what runs, and nothing that does not, so that `npm audit` looks at what runs; what is built in is named
 * where a scanner finds it.
 * Method: every import in what was built is held against `package.json`, and the list of what is built in against the maps
 * of the built files, which name each file of a library whose code is in them.
 */
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { beforeAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const BUILT = join(ROOT, 'dist', String(process.env.ROWONCE_BUILD));

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { dependencies } = json(join(ROOT, 'package.json')) as { readonly dependencies: object };
const { packages } = json(join(ROOT, 'package-lock.json'));

/** `@hono/node-server` of `@hono/node-server/conninfo`. */
const nameOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '';

const sorted = (names: Iterable<string>): readonly string[] => [...new Set(names)].sort();

/** What a file asks of others by name: not by its place, and not of Node. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const stated = parseAst(text).body.flatMap((each) => ('source' in each ? (each.source?.value ?? []) : []));
  const asked = [...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)/g)].map(([, name = '']) => name);
  return [...stated, ...asked].filter((name) => !name.startsWith('.') && !isBuiltin(name)).map(nameOf);
}

let builtIn: readonly string[];

beforeAll(() => {
  const maps = globSync('**/*.js.map', { cwd: BUILT });
  const sources = maps.flatMap((path) => json(join(BUILT, path)).sources as readonly string[]);
  builtIn = sorted(sources.flatMap((source) => /.*node_modules\/(.*)/.exec(source)?.[1] ?? []).map(nameOf));
});

test('what is imported by name is what npm installs, and the reverse', () => {
  const imports = globSync('**/*.js', { cwd: BUILT }).flatMap((path) => importsOf(join(BUILT, path)));
  expect(sorted(imports)).toEqual(sorted(Object.keys(dependencies)));
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

test('no library is both installed and built in', () => {
  expect(builtIn.length).toBeGreaterThan(8);
  expect(builtIn.filter((name) => Object.hasOwn(dependencies, name))).toEqual([]);
  for (const name of builtIn) expect(packages[`node_modules/${name}`], name).toMatchObject({ dev: true });
});

test('every library that is built in is named with its version, for scanners', () => {
  const list = json(join(BUILT, 'libraries.cdx.json'));
  expect(list).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'rowonce' } } });
  const named = new Map<string, string>(list.components.map(({ name, purl }: typeof list) => [name, purl]));
  // The page's script has no map.
  expect([...named.keys()]).toEqual(expect.arrayContaining([...builtIn, 'preact']));
  for (const [name, purl] of named) {
    expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${packages[`node_modules/${name}`].version}`);
  }
});
