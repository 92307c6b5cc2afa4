#!/usr/bin/env node
// Builds the program into `dist/`, because a few files start in half the time that hundreds take. Libraries
// stay outside, where npm installs them, but for a few; the page, which a browser loads, has its own inside.
// Each build has a folder of its own and becomes the present one in a single step, so a program that runs
// meanwhile goes on reading the build that it was started from. The launcher asks here whether the build of a
// checkout is still that of its sources, so nothing but Node is loaded at the top.
// `--types` adds the types for programs that import the library; `--if-older` builds only where the sources
// are others than at the last time.

const fs = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const DIALECTS = join(ROOT, 'fixtures', 'dialects');

/**
 * Says which build is the present one and what it was built from. Written last, so a build that was
 * interrupted counts as none.
 */
const STAMP = join(DIST, 'built-from.json');

/**
 * A program that runs may load from its build for as long as it lives; one that was started before so many
 * builds has to end.
 */
const BUILDS_KEPT = 5;

/** In these folders every file is a member that is found by its name: those of `src/core/families.ts`. */
const FAMILIES = '{operations,client/dialects,files/formats,commands}/*.ts';

/**
 * What is loaded together, with all that it imports, is one file: every command, one that looks with all
 * operations, and a run.
 */
const LOADED_TOGETHER = [
  { name: 'start', test: /cli\/main\.ts$/ },
  { name: 'look', test: /commands\/status\.ts$|stores\/sqlite\.ts$|src\/operations\/[^/]+\.ts$/ },
  { name: 'run', test: /commands\/run\.ts$|formats\/csv\.ts$|dialects\/provider\.ts$/ },
];

/**
 * The same for the page. What every view needs is one script, which the document names, so a browser asks for
 * it at once. The view of a list is one with all that it imports, a seventh less than its files. The panel of
 * its start is another.
 */
const SHOWN_TOGETHER = [
  { name: 'first', tags: ['$initial'], priority: 2 },
  { name: 'list', test: /views\/list\.tsx$/, priority: 1 },
  { name: 'start', test: /start\/start\.tsx$/ },
  { name: 'accounts-of-hers', test: /start\/accounts\.ts$/, priority: 1 },
  { name: 'team-choice', test: /start\/(?:team-choice|agreements)\.tsx$/ },
  { name: 'what', test: /start\/(?:what|steps)\.tsx$/ },
];

/**
 * Every command loads these; their 120 files take a fifth of a start. The version that is inside is the one
 * that npm installs beside it, where `npm audit` sees it.
 */
const BUILT_IN = ['commander', 'csv-parse', 'csv-stringify', 'entities', 'leven', 'yaml', 'zod'];

/**
 * @returns the present build when it is of the sources as they are now; false when it is of others,
 * `undefined` when there is none.
 */
export function buildOfSources() {
  if (!fs.existsSync(STAMP)) return undefined;
  const { build, files } = JSON.parse(fs.readFileSync(STAMP, 'utf8'));
  return isThere(build) ? files === filesNow() && build : undefined;
}

export const isThere = (build) => /^[0-9a-f]{8}$/.test(build ?? '') && fs.existsSync(join(DIST, build));

/**
 * Every source and what npm installed, with size and time of the last change. To look takes 4 ms, a tenth of
 * what reading would.
 */
const filesNow = () =>
  [...stampsIn(SOURCES), ...stampsIn(DIALECTS), stampOf(`${ROOT}/node_modules/.package-lock.json`)].join(
    '\n',
  );
const stampsIn = (folder) =>
  fs
    .readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? stampsIn : stampOf)(`${folder}/${entry.name}`));

function stampOf(path) {
  const { size, mtimeMs } = fs.statSync(path, { throwIfNoEntry: false }) ?? {};
  return `${path.slice(ROOT.length)} ${size} ${mtimeMs}`;
}

async function build(withTypes) {
  const { rolldown } = await import('rolldown');
  // Taken first: what is changed while this builds makes the build count as older.
  const files = filesNow();
  const build = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  const folder = join(DIST, build);
  const { dependencies } = JSON.parse(fs.readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entryFiles().map((path) => [path.slice(SOURCES.length + 1, -3), path])),
    platform: 'node',
    external(id) {
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? '';
      return Object.hasOwn(dependencies, name) && !BUILT_IN.includes(name);
    },
    transform: { target: 'node22.19' }, // It does not know `using`, which is written out.
    plugins: [{ name: 'cheap builtins', renderChunk: takeFromBuiltins }],
  });
  const { output } = await bundle.write({
    dir: folder,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    // Beside `core/families.ts`, which finds the other folders by its own place.
    chunkFileNames: 'core/[name]-[hash].js',
    codeSplitting: { groups: LOADED_TOGETHER },
  });
  await bundle.close();
  writeLicences(output, folder);
  await buildPage(rolldown, join(folder, 'web'));
  // To parse the 44 dialects would cost each start 100 ms (2026-11-30).
  fs.writeFileSync(join(folder, 'vendors.json'), JSON.stringify(await shippedVendors()));
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const typesInto = [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', SOURCES, '--outDir', folder];
  if (withTypes) execFileSync(process.execPath, typesInto, { stdio: 'inherit' });
  // Whoever reads one of them meanwhile finds the former content or the whole new one.
  const present = {
    'index.js': `import './needed-node.js';\nexport * from './${build}/index.js';\n`,
    'needed-node.js': NEEDED_NODE,
    'index.d.ts': `export * from './${build}/index.js';\n`,
    'main.js': `export * from './${build}/cli/main.js';\n`,
    '.npmignore': `/*/\n!/${build}/\nbuilt-from.json\n`,
    'built-from.json': JSON.stringify({ build, files }),
  };
  for (const [name, text] of Object.entries(present)) {
    fs.writeFileSync(join(DIST, `${name}.${build}`), text);
    fs.renameSync(join(DIST, `${name}.${build}`), join(DIST, name));
  }
  const born = (name) => fs.statSync(join(DIST, name)).mtimeMs;
  const builds = fs.readdirSync(DIST).filter(isThere);
  for (const old of builds.sort((one, other) => born(other) - born(one)).slice(BUILDS_KEPT))
    fs.rmSync(join(DIST, old), { recursive: true, force: true });
}

/** Is imported before the rest of the library, which an old Node cannot load. */
const NEEDED_NODE = `import { tooOld } from '../src/needed-node.js';
const fact = tooOld();
if (fact !== undefined) throw Object.assign(new Error(fact), { stack: fact });
`;

/**
 * An `import` of a module of Node reads all that it exports, which loads Node's own fetch and cryptography: a
 * tenth of a start.
 */
const takeFromBuiltins = (code) => {
  const taken = (_, whole, some, id) =>
    [whole, some?.replaceAll(' as ', ': ')]
      .filter(Boolean)
      .map((name) => `const ${name} = process.getBuiltinModule(${id});`)
      .join(' ');
  const stated = /^import ([\w$]+)?(?:, )?(\{[^}]*\})? from ("node:[^"]+");$/gm;
  return { code: code.replace(stated, taken), map: null };
};

/**
 * The doors of the program, the members of families, and what asks for its own place, such as a thread that
 * starts itself.
 */
function entryFiles() {
  const found = fs.globSync(join(SOURCES, '**/*.ts'));
  const placed = found.filter((path) => fs.readFileSync(path, 'utf8').includes('import.meta.url'));
  return [...fs.globSync(['{index,cli/main}.ts', FAMILIES].map((path) => join(SOURCES, path))), ...placed];
}

/**
 * What a browser gets: scripts, two styles, the two files that name them, and the licences of what is inside.
 */
async function buildPage(rolldown, folder) {
  const { bundle: bundleStyle } = await import('lightningcss');
  const page = join(SOURCES, 'web', 'page');
  const bundle = await rolldown({
    input: { page: join(page, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(page, 'tsconfig.json'),
    // Tables and rooms that a view does not need are left out, although they name members of others.
    treeshake: {
      propertyReadSideEffects: false,
      moduleSideEffects: (id) => (id.startsWith(SOURCES) && !id.startsWith(page) ? false : undefined),
    },
    // What a view says is then a list of arguments and no object, which is shorter.
    transform: {
      jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' },
      inject: { h: ['preact', 'h'], Fragment: ['preact', 'Fragment'] },
    },
  });
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    codeSplitting: { groups: SHOWN_TOGETHER },
    minify: true,
    comments: false,
  });
  for (const file of ['index.html', 'icon.svg']) fs.copyFileSync(join(page, file), join(folder, file));
  for (const file of ['page.css', 'views.css']) {
    const style = bundleStyle({ filename: join(page, 'look', file), minify: true });
    fs.writeFileSync(join(folder, file), style.code);
  }
  // The sample list has as many rows as one sees at once, behind the names of its columns.
  const leads = fs.readFileSync(join(ROOT, 'fixtures', 'leads.csv'), 'utf8').split('\n');
  fs.writeFileSync(join(folder, 'sample.csv'), leads.slice(0, 21).join('\n'));
  writeLicences(output, folder);
}

/** What each dialect that ships says of its vendor: to read them all takes longer than a command may. */
async function shippedVendors() {
  const { parse } = await import('yaml');
  return fs
    .globSync('*.yaml', { cwd: DIALECTS })
    .sort()
    .map((file) => {
      const word = file.slice(0, -'.yaml'.length);
      const { title = word, base_url, operations } = parse(fs.readFileSync(join(DIALECTS, file), 'utf8'));
      return { word, title, address: base_url, operations: Object.keys(operations) };
    });
}

/** Of the libraries that are inside. */
function writeLicences(output, folder) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).join('\n');
  const libraries = new Set(modules.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/gm));
  const licences = [...libraries].map((library) => {
    const name = fs.readdirSync(library).find((file) => file.toUpperCase() === 'LICENSE');
    return fs.readFileSync(join(library, name), 'utf8');
  });
  fs.writeFileSync(join(folder, 'LICENSES'), licences.join('\n'));
}

const [, started = '', option] = process.argv;
const isStarted = started !== '' && fs.realpathSync(started) === import.meta.filename;
if (isStarted && !(option === '--if-older' && buildOfSources())) await build(option === '--types');
