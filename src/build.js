#!/usr/bin/env node
// Builds the program into `dist/`: few files instead of hundreds, so that it starts fast. What is found by its place
// keeps its place: every member of a family, the threads that start themselves, and the file that knows all these
// folders. Libraries are built in, with their licences beside them; `better-sqlite3` alone, which has a native part,
// stays outside. The launcher asks here whether a checkout's build is still that of its sources, so nothing but Node is
// loaded at the top, and that in the way that costs least: see `cheapBuiltins`.
//
//   node src/build.js              builds; `npm run build` also writes the types for programs that import the library
//   node src/build.js --if-older   builds unless the sources are those that were built last

const {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = process.getBuiltinModule('node:fs');
const { join } = process.getBuiltinModule('node:path');

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');

/** npm writes it with every change of a library, and the libraries are part of what is built. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Written last, so a build that was interrupted counts as none. */
const STAMP = join(BUILT, 'built-from.json');

/** In these folders every file is a member that is found by its name: those of `src/core/families.ts`. */
const FAMILIES = ['operations', 'vendor/dialects', 'ledger/stores', 'files/formats', 'cli'];

const OTHER_ENTRIES = [
  'index.ts',
  'cli/shell/main.ts',
  // It says where everything else is, by its own place.
  'core/families.ts',
  // These start themselves as threads.
  'ledger/stores/sqlite/integrity.ts',
  'ledger/stores/sqlite/verify-beside.ts',
  'files/formats/csv/parse-beside.ts',
  // It must be the first of the library to run.
  'core/needed-node.ts',
];

/** @returns whether `dist/` was built from the sources as they are now; `undefined` when nothing was built. */
export function isBuiltFromSources() {
  const built = stampRead();
  if (built === undefined) return undefined;
  const found = filesNow();
  const paths = Object.keys(found);
  if (paths.length !== Object.keys(built).length) return false;
  const touched = paths.filter((path) => String(found[path]) !== String(built[path]?.slice(0, 2)));
  if (touched.length === 0) return true;
  // A checkout that was copied has other times and the same content, and was built from that.
  if (touched.some((path) => built[path]?.[0] !== found[path][0] || built[path][2] !== sha256At(path)))
    return false;
  for (const path of touched) built[path] = [...found[path], built[path][2]];
  renewStamp(built);
  return true;
}

function stampRead() {
  try {
    return JSON.parse(readFileSync(STAMP, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Spares the next start to read what was copied. Where nothing can be written, it reads it once more. */
function renewStamp(stamp) {
  const renewed = `${STAMP}.${process.pid}`;
  try {
    writeFileSync(renewed, JSON.stringify(stamp));
    renameSync(renewed, STAMP);
  } catch {
    rmSync(renewed, { force: true });
  }
}

/** What is built, each with its size, the time of its last change, and its content as SHA-256. */
function stampNow() {
  const entries = Object.entries(filesNow());
  return Object.fromEntries(entries.map(([path, found]) => [path, [...found, sha256At(path)]]));
}

/**
 * Every file with its size and the time of its last change. It takes some 4 ms, a tenth of what reading the files does, and
 * unlike "which is newer" it notices a file that is gone, and one that was put back with its old time.
 */
function filesNow() {
  const files = {};
  const note = (path) => {
    const { size = 0, mtimeMs = 0 } = statSync(join(ROOT, path), { throwIfNoEntry: false }) ?? {};
    files[path] = [size, mtimeMs];
  };
  const add = (folder) => {
    for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) add(path);
      else if (/\.(?:[jt]sx?|css|html|svg)$/.test(path)) note(path);
    }
  };
  add('src');
  note(INSTALLED);
  return files;
}

/** The content of a file; empty for one that is not there, as what npm installed elsewhere. */
function sha256At(path) {
  const file = join(ROOT, path);
  if (!existsSync(file)) return '';
  return process.getBuiltinModule('node:crypto').hash('sha256', readFileSync(file));
}

async function build() {
  const { rolldown } = await import('rolldown');
  // Taken first: what is changed while this builds makes the build count as older.
  const stamp = stampNow();
  rmSync(BUILT, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries().map((file) => [file.slice(0, -'.ts'.length), join(SOURCES, file)])),
    platform: 'node',
    external: /^better-sqlite3/,
    plugins: [partsOfLibraries, cheapBuiltins],
    // An entry that other files import is one file, so that `import.meta.url` in it is its own place.
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await bundle.write({
    dir: BUILT,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [{ debugName: 'room', name: chunkOf(), includeDependenciesRecursively: false }],
    },
  });
  await bundle.close();
  const built = [...output, ...(await buildPage(rolldown))];
  writeFileSync(join(BUILT, 'LICENSES'), licencesOf(built.flatMap(({ moduleIds = [] }) => moduleIds)));
  writeFileSync(STAMP, JSON.stringify(stamp));
}

/** What is loaded together is one file: what every command needs, what one that looks needs, and what a run needs. */
const LOADED_TOGETHER = {
  // A thread loads nothing else, so it stands before what holds more.
  parse: ['files/formats/csv/record-parser.ts'],
  start: ['cli/shell/main.ts'],
  look: ['cli/status.ts', 'ledger/stores/sqlite.ts'],
  run: ['cli/run.ts', 'files/formats/csv.ts', 'vendor/dialects/provider.ts'],
};

/** The licence of every library that is part of what was built. */
function licencesOf(modules) {
  const folders = modules.flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  const texts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `License: ${license}\n` : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

const isOfLibrary = (id) => id.includes('node_modules');

/** Names the file that a module is put into. A library has one of its own; what is not named is left to the bundler. */
function chunkOf() {
  const entryFiles = new Set(entries().map((file) => join(SOURCES, file)));
  const chunks = new Map();
  const importedBy = (id, context) => context.getModuleInfo(id)?.importedIds ?? [];
  const add = (id, name, context) => {
    if (chunks.has(id) || isOfLibrary(id)) return;
    const isPlainCore = isIn('core', id) && !importedBy(id, context).some(isOfLibrary);
    chunks.set(id, isPlainCore ? 'start' : name);
    for (const imported of importedBy(id, context)) add(imported, name, context);
  };
  return (id, context) => {
    if (isOfLibrary(id)) return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1];
    if (entryFiles.has(id) || isIn('ledger/stores', id)) return null;
    if (chunks.size === 0) {
      for (const [name, roots] of Object.entries(LOADED_TOGETHER)) {
        for (const root of roots) add(join(SOURCES, root), name, context);
      }
    }
    return chunks.get(id) ?? null;
  };
}

const isIn = (folder, id) => id.startsWith(join(SOURCES, folder));

/** What the program uses of libraries that would bring much more along. */
const PARTS = {
  undici: `
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as Pool } from 'undici/lib/dispatcher/pool.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  // Without its clients of Redis.
  bottleneck: "export { default } from 'bottleneck/light.js';",
};

const partsOfLibraries = {
  name: 'parts of libraries',
  resolveId: (id) => (Object.hasOwn(PARTS, id) ? join(ROOT, `parts-of-${id}`) : null),
  load: (id) => PARTS[id.slice(join(ROOT, 'parts-of-').length)] ?? null,
};

/**
 * An import of `node:http` reads everything that it exports, which makes Node load its own fetch and costs more than the
 * rest of a start. So what is built takes from a module of Node what it names, and nothing else. Each import stays on its
 * line, so the source maps stay right.
 */
const cheapBuiltins = {
  name: 'cheap builtins',
  renderChunk: (code) => ({
    code: code.replace(IMPORT_OF_NODE, (_whole, all, some, id) => {
      const names = [all, some?.replaceAll(' as ', ': ')].filter(Boolean);
      return names.map((name) => `const ${name} = globalThis.process.getBuiltinModule(${id});`).join(' ');
    }),
    map: null,
  }),
};

const IMPORT_OF_NODE = /^import (?:(?:\* as )?(\w+))?(?:, )?(\{[^}]*\})? from ("(?:node:)?[a-z_/]+");$/gm;

/** What a browser gets: one script, one style, and the two files that name them. */
async function buildPage(rolldown) {
  const page = join(SOURCES, 'web', 'page');
  const folder = join(BUILT, 'web');
  const bundle = await rolldown({
    cwd: ROOT,
    input: { page: join(page, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(page, 'tsconfig.json'),
  });
  const { output } = await bundle.write({
    dir: folder,
    entryFileNames: '[name].js',
    minify: true,
    codeSplitting: false,
  });
  await bundle.close();
  for (const name of ['index.html', 'page.css', 'icon.svg'])
    copyFileSync(join(page, name), join(folder, name));
  return output;
}

function entries() {
  const membersIn = (folder) =>
    readdirSync(join(SOURCES, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`);
  return [...OTHER_ENTRIES, ...FAMILIES.flatMap(membersIn)];
}

const [, started = '', option] = process.argv;
const isStarted = started !== '' && realpathSync(started) === import.meta.filename;
if (isStarted && !(option === '--if-older' && isBuiltFromSources())) await build();
