/**
 * Goal: what npm publishes is what a user needs and no more: the program, its types, sample jobs and lists, and the pages for users;
 * and it runs on every Node that it says it runs on. A TypeScript program needs nothing else but the compiler and the types of Node.
 * npm installs what runs, and nothing that does not, so that `npm audit` looks at what runs.
 * Method: the list of files that `npm pack` would pack, held against rules and given to publint, the linter for packages; and what was
 * built: its imports against `package.json`, and its syntax against what the oldest Node knows.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { proof } from './support/combinations.ts';

const ROOT = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const packed = z.array(z.object({ files: z.array(z.object({ path: z.string() })) })).length(1);
const manifest = z.looseObject({
  engines: z.object({ node: z.string() }),
  dependencies: z.record(z.string(), z.string()),
});
const lock = z.object({
  packages: z.record(z.string(), z.object({ engines: z.record(z.string(), z.string()).optional() })),
});

let files: readonly string[];
beforeAll(() => {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--silent'];
  const printed = execFileSync('npm', words, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  const [{ files: found } = { files: [] }] = packed.parse(JSON.parse(String(printed)));
  files = found.map(({ path }) => path);
});

const NEEDED = [
  'LICENSE',
  'README.md',
  'SECURITY.md',
  'dist/index.d.ts',
  'dist/index.js',
  'dist/main.js',
  'docs/dialects.md',
  'docs/reference/schemas/job.json',
  'fixtures/leads.csv',
  'jobs/enrich-companies.yaml',
  'dist/needed-node.js',
  'src/bin.js',
  'src/needed-node.js',
];

test('the package has what a user reads and runs', () => {
  expect(files).toEqual(expect.arrayContaining(NEEDED));
});

test('the package has one build', () => {
  const { build } = JSON.parse(read('dist/built-from.json'));
  const built = files.filter((path) => /^dist\/.+\//.test(path));
  expect(new Set(built.map((path) => path.split('/')[1]))).toEqual(new Set([build]));
});

test('the package has no test, no corpus, no source and no page for who works on the program', () => {
  const places = [
    /^(LICENSE|README\.md|SECURITY\.md|package\.json|src\/(bin|needed-node)\.js)$/,
    /^dist\/(index|main|needed-node)\.(js|d\.ts)$/,
    /^dist\/[0-9a-f]{8}\//,
    /^docs\/(?!decisions|internals|screens).*\.(md|json|ya?ml)$/,
    /^fixtures\/[^/]+\.csv$/,
    /^fixtures\/dialects\/[^/]+\.yaml$/,
    /^jobs\/(?!inbox).*\.(yaml|mjs)$/,
  ];
  expect(files.filter((path) => !places.some((place) => place.test(path)))).toEqual([]);
});

test('publint, the linter for packages, finds nothing', async () => {
  const wanted = files.map((name) => ({ name: join(ROOT, name), data: readFileSync(join(ROOT, name)) }));
  const { messages } = await publint({ pkgDir: ROOT, pack: { files: wanted }, strict: true });
  expect(messages).toEqual([]);
});

test('the oldest Node that it says it runs on is the same everywhere, and no library needs a newer one', () => {
  const { engines, dependencies } = manifest.parse(JSON.parse(read('package.json')));
  const oldest = /^>=(\d+\.\d+)\.0$/.exec(engines.node)?.[1] ?? '';
  expect(read('src/needed-node.js')).toContain(`NEEDED_NODE = '${oldest}'`);
  expect(read('src/build.js')).toContain(`target: 'node${oldest}'`);
  const { packages } = lock.parse(JSON.parse(read('package-lock.json')));
  for (const name of Object.keys(dependencies)) {
    const { node = '>=1' } = packages[`node_modules/${name}`]?.engines ?? {};
    const [major = 0, minor = 0] = [...node.matchAll(/\d+/g)].map(Number);
    expect(major * 100 + minor, `${name} needs ${node}`).toBeLessThanOrEqual(Number(oldest.replace('.', '')));
  }
});

test('what was built says nothing that the oldest Node cannot read', () => {
  const built = globSync(`dist/${process.env.ROWONCE_BUILD}/**/*.js`, { cwd: ROOT });
  expect(built.length).toBeGreaterThan(30);
  expect(built.filter((path) => /\busing \w+ = /.test(read(path)))).toEqual([]);
});

const PROGRAM = `
import { Writable } from 'node:stream';
import * as rowonce from 'rowonce';
import { enrich, type EnrichedRow, EXIT, plan, run, StopError } from 'rowonce';

export async function main(signal: AbortSignal): Promise<number> {
  const planned = await plan({ job: 'enrich-person', file: 'people.csv' });
  const most = 'credits' in planned ? planned.credits.most : 0;
  const written: Uint8Array[] = [];
  const output = new Writable({ write: (chunk, _encoding, done) => done(void written.push(chunk)) });
  const { batch, stopped } = await run({ job: 'enrich-person', file: 'people.csv', max_pause: '10m' }, { output, signal });
  await rowonce.export({ batch });
  const rows = enrich([{ email: 'a@b.example', id: 1 }], { job: 'enrich-person', budget: most });
  for await (const { input, cells, calls } of rows) console.log(input.id + 1, cells, calls[0]?.operation);
  const last: EnrichedRow<{ Email: string }> | undefined = undefined;
  const error: unknown = last;
  return error instanceof StopError ? error.exitCode : stopped === null ? EXIT.done : EXIT.paused;
}
`;

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: false,
  module: 'nodenext',
  target: 'esnext',
  noEmit: true,
  types: ['node'],
};

proof('a TypeScript program compiles with every declaration checked', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rowonce-consumer-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const installed = join(folder, 'node_modules', 'rowonce');
  const run = (...words: readonly string[]) => spawnSync(process.execPath, words, { encoding: 'utf8' });
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  run(compiler, '-p', join(ROOT, 'src'), '--outDir', join(installed, 'dist'));
  for (const name of ['@types', 'zod'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'main.ts'), PROGRAM);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
  expect(run(compiler, '-p', folder).stdout).toBe('');
});

test('a program that asks for the package by its name has the library', () => {
  const program =
    "import { plan, run, StopError } from 'rowonce'; console.log(typeof plan, typeof run, StopError.name)";
  const words = ['--input-type=module', '--eval', program];
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: 'utf8' });
  expect([stdout.trim(), stderr]).toEqual(['function function StopError', '']);
});

const BUILT = join(ROOT, 'dist', String(process.env.ROWONCE_BUILD));

const json = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
const { dependencies } = json(join(ROOT, 'package.json')) as { readonly dependencies: object };
const { packages } = json(join(ROOT, 'package-lock.json'));

/** `@hono/node-server` of `@hono/node-server/conninfo`. */
const nameOf = (path: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? '';

/** What a file asks of others by name: not by its place, and not of Node. */
function importsOf(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  const asked = text.matchAll(
    /^(?:import|export) .*?from "([^"]+)";$|\b(?:import|require[$\d]*)\("([^"]+)"\)/gm,
  );
  const names = Array.from(asked, ([, stated, late]) => stated ?? late ?? '');
  return names.filter((name) => !name.startsWith('.') && !isBuiltin(name)).map(nameOf);
}

/** Every command loads these, so they are inside of what is built. */
const BUILT_IN = ['commander', 'csv-parse', 'csv-stringify', 'entities', 'leven', 'yaml', 'zod'];

test('what is imported by name or built in is what npm installs, and the reverse', () => {
  const files = globSync('**/*.js', { cwd: BUILT, exclude: ['web/**'] });
  const imports = new Set(files.flatMap((path) => importsOf(join(BUILT, path))));
  expect([...imports, ...BUILT_IN].sort()).toEqual(Object.keys(dependencies).sort());
});

test('each library that is built in has the version that npm installs and looks at', () => {
  const maps = globSync('**/*.js.map', { cwd: BUILT });
  const sources = maps.flatMap((path) => json(join(BUILT, path)).sources as readonly string[]);
  const builtIn = new Set(
    sources.flatMap((source) => /.*node_modules\/(.*)/.exec(source)?.[1] ?? []).map(nameOf),
  );
  expect([...builtIn].sort()).toEqual(BUILT_IN);
  for (const name of BUILT_IN)
    expect(dependencies).toHaveProperty(name, packages[`node_modules/${name}`].version);
});

test.each([
  ['the program', '.', BUILT_IN.length],
  ['the script of the page', 'web', 3],
])('the licences of what is inside %s stand beside it', (_what, folder, count) => {
  const licences = readFileSync(join(BUILT, folder, 'LICENSES'), 'utf8');
  expect(licences.match(/Copyright .*/g)).toHaveLength(count);
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
