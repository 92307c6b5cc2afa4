#!/usr/bin/env node
// Builds the program into `dist/`: few files instead of hundreds, so that it starts fast. What is found by its place
// keeps its place: every member of a family, the threads that start themselves, and the file that knows all these
// folders. What `package.json` lists as `dependencies` stays outside; every other library is built in, with its licence, and
// named in a list for scanners. The launcher asks here whether a checkout's build is still that of its sources, so nothing but Node is
// loaded at the top, and that in the way that costs least: see `cheapBuiltins`.
//
// Each build has a folder of its own in `dist/`, and becomes the present one in a single step. So a build beside a running
// program takes nothing from it: that goes on reading the build that it was started from, with its threads and the programs
// that it starts. Of two builds at once one is the present one afterwards, and it is whole.
//
//   node src/build.js              builds
//   node src/build.js --types      builds, with the types for programs that import the library
//   node src/build.js --types-in FOLDER   writes these types there, and builds nothing
//   node src/build.js --if-older   builds unless the sources are those that were built last

const {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = process.getBuiltinModule('node:fs');
const { dirname, join, relative } = process.getBuiltinModule('node:path');

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');

/** npm writes it with every change of a library, and the libraries are part of what is built. */
const INSTALLED = 'node_modules/.package-lock.json';

/** Says which build is the present one, and what it was built from. Written last, so a build that was interrupted counts as none. */
const STAMP = join(DIST, 'built-from.json');

const BUILD_NAME = /^[0-9a-f]{8}$/;

/** In these folders every file is a member that is found by its name: those of `src/core/families.ts`. */
const FAMILIES = ['operations', 'client/dialects', 'ledger/stores', 'files/formats', 'cli'];

const OTHER_ENTRIES = [
  'index.ts',
  'cli/shell/main.ts',
  // It says where everything else is, by its own place.
  'core/families.ts',
  // These start themselves as threads.
  'ledger/stores/sqlite/integrity.ts',
  'ledger/stores/sqlite/pages-beside.ts',
  'ledger/stores/sqlite/verify-beside.ts',
  'files/formats/csv/parse-beside.ts',
];

/** @returns the present build, when it is of the sources as they are now; false when it is of others, `undefined` when there is none. */
export function buildOfSources() {
  const { build, files } = stampRead() ?? {};
  if (!isThere(build)) return undefined;
  const found = filesNow();
  const paths = Object.keys(found);
  if (paths.length !== Object.keys(files).length) return false;
  const touched = paths.filter((path) => String(found[path]) !== String(files[path]?.slice(0, 2)));
  if (touched.length === 0) return build;
  // A checkout that was copied has other times and the same content, and was built from that.
  if (touched.some((path) => files[path]?.[0] !== found[path][0] || files[path][2] !== sha256At(path)))
    return false;
  for (const path of touched) files[path] = [...found[path], files[path][2]];
  renewStamp({ build, files });
  return build;
}

/** Whether there is a build of that name. */
export function isThere(build) {
  return BUILD_NAME.test(build ?? '') && existsSync(join(DIST, build));
}

/** Keeps a build for as long as this process lives. @returns false when it is gone. */
export function use(build) {
  const users = join(DIST, build, USERS);
  const mark = join(users, String(process.pid));
  try {
    // One that was removed a moment ago must not be made anew.
    if (!existsSync(users)) mkdirSync(users);
    writeFileSync(mark, '');
    process.on('exit', () => rmSync(mark, { force: true }));
  } catch {
    // Where nothing can be written nothing is removed either.
  }
  return isThere(build);
}

/** A folder in each build, with a file for each process that was started from it, named by its number. */
const USERS = 'users';

function isUsed(build) {
  try {
    return readdirSync(join(DIST, build, USERS)).some(isAlive);
  } catch {
    return false;
  }
}

function isAlive(pid) {
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
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
  try {
    replace(STAMP, JSON.stringify(stamp));
  } catch {
    // The stamp stays as it was.
  }
}

/** Whoever reads the file meanwhile finds the former content or the whole new one. */
function replace(path, content) {
  const temporary = `${path}.${process.pid}`;
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
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
    // Put together here: to join hundreds of paths would take a fifth of what a short command takes.
    const { size = 0, mtimeMs = 0 } = statSync(`${ROOT}/${path}`, { throwIfNoEntry: false }) ?? {};
    files[path] = [size, mtimeMs];
  };
  const add = (folder) => {
    for (const entry of readdirSync(`${ROOT}/${folder}`, { withFileTypes: true })) {
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

async function build({ withTypes }) {
  const { rolldown } = await import('rolldown');
  // Taken first: what is changed while this builds makes the build count as older.
  const files = stampNow();
  const build = process.getBuiltinModule('node:crypto').randomBytes(4).toString('hex');
  const folder = join(DIST, build);
  mkdirSync(folder, { recursive: true });
  use(build);
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries().map((file) => [file.slice(0, -'.ts'.length), join(SOURCES, file)])),
    platform: 'node',
    external: isDependency,
    // The oldest Node that it runs on does not know `using`, so that is written out.
    transform: { target: `node${NEEDED_NODE}` },
    plugins: [partsOfLibraries, cheapBuiltins, plainLetters],
    // An entry that other files import is one file, so that `import.meta.url` in it is its own place.
    preserveEntrySignatures: 'allow-extension',
  });
  const { output } = await bundle.write({
    dir: folder,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    codeSplitting: {
      groups: [{ debugName: 'room', name: chunkOf(), includeDependenciesRecursively: false }],
    },
  });
  await bundle.close();
  const built = [...output, ...(await buildPage(rolldown, join(folder, 'web')))];
  const libraries = librariesIn(built.flatMap(({ moduleIds = [] }) => moduleIds));
  writeFileSync(join(folder, 'LICENSES'), licencesOf(libraries));
  writeFileSync(join(folder, 'libraries.cdx.json'), listOf(libraries));
  if (withTypes) writeTypes(folder);
  const former = stampRead()?.build;
  const library = output.find(({ fileName }) => fileName === 'index.js');
  replace(join(DIST, 'index.js'), libraryOf(build, library.exports));
  replace(join(DIST, 'index.d.ts'), `export * from './${build}/index.js';\n`);
  // npm packs the present build alone, also where a program still runs from another.
  replace(join(DIST, '.npmignore'), `/*/\n!/${build}/\nusers\nbuilt-from.json\n`);
  replace(join(DIST, 'main.js'), `export * from './${build}/cli/shell/main.js';\n`);
  replace(STAMP, JSON.stringify({ build, files }));
  // A package has no need of the former one; here a process may just be about to start from it.
  const isForPackage = ['pack', 'publish'].includes(process.env.npm_command);
  removeOthers(isForPackage ? [build] : [build, former]);
}

/** The types for programs that import the library, and nothing that these do not name. */
function writeTypes(folder) {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  process
    .getBuiltinModule('node:child_process')
    .execFileSync(process.execPath, [compiler, '-p', SOURCES, '--outDir', folder], { stdio: 'inherit' });
  copyTypes('zod', folder);
  keepReached(folder);
  nameNoTypesOfNode(folder);
}

/**
 * What our types say in words of Node's, in words that every program knows: the types of Node are a package of its own, which
 * who imports the library need not have, and may have in another version.
 */
const TYPES_OF_NODE = [
  [/\bimport \{ type FileHandle \} from 'node:fs\/promises';/g, 'type FileHandle = unknown;'],
  [
    /\bNodeJS\.WritableStream\b/g,
    '{ write(chunk: Uint8Array, done?: (error?: Error | null) => void): boolean }',
  ],
  [/\bBuffer\b(?!\()/g, 'Uint8Array'],
];

function nameNoTypesOfNode(folder) {
  const types = join(folder, 'types');
  for (const path of declarationsIn(folder).filter((each) => !each.startsWith(types))) {
    const text = readFileSync(path, 'utf8');
    const own = TYPES_OF_NODE.reduce((left, [named, by]) => left.replace(named, by), text);
    if (own !== text) writeFileSync(path, own);
  }
}

/** A program that imports the library reads its types, and what these name. The others would make a package three times as large. */
function keepReached(folder) {
  const reached = new Set();
  const visit = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    const named = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.[jt]s['"]/g);
    for (const [, to] of named) visit(join(dirname(path), `${to}.d.ts`));
  };
  visit(join(folder, 'index.d.ts'));
  for (const path of declarationsIn(folder).filter((each) => !reached.has(each))) rmSync(path);
}

const declarationsIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.d.ts'))
    .map((path) => join(folder, path));

/** What types of ours say in words of a library that is built in: its own are put beside them, and are found there. */
function copyTypes(library, folder) {
  const copy = join(folder, 'types', library);
  cpSync(join(ROOT, 'node_modules', library), copy, {
    recursive: true,
    filter: (path) => statSync(path).isDirectory() || path.endsWith('.d.ts'),
  });
  for (const path of declarationsIn(folder).filter((each) => !each.startsWith(copy))) {
    const place = relative(dirname(path), join(copy, 'index.js')).replaceAll('\\', '/');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replaceAll(`from '${library}'`, `from '${place}'`));
  }
}

/**
 * What a program imports. An older Node cannot even read the rest, so that is not loaded before its version is known; and it is
 * loaded at once, so that `require` takes the library as well.
 */
function libraryOf(build, names) {
  const [major, minor] = NEEDED_NODE.split('.');
  return `const [major, minor] = process.versions.node.split('.').map(Number);
if (major < ${major} || (major === ${major} && minor < ${minor}))
  throw Object.assign(
    new Error(\`Rowonce needs Node ${NEEDED_NODE} or newer and this is Node \${process.versions.node}: install it from https://nodejs.org.\`),
    { code: 'unsupported' },
  );
const library = process.getBuiltinModule('node:module').createRequire(import.meta.url)('./${build}/index.js');
export const { ${names.join(', ')} } = library;
`;
}

/** As the launcher has it. */
const NEEDED_NODE = '22.19';

/** Removes what nobody uses. */
function removeOthers(kept) {
  const stays = new Set([...kept, '.npmignore', 'index.js', 'index.d.ts', 'main.js', 'built-from.json']);
  for (const name of readdirSync(DIST)) {
    // What another builder is writing ends in the number of its process.
    if (stays.has(name) || isUsed(name) || isAlive(/\.(\d+)$/.exec(name)?.[1])) continue;
    try {
      rmSync(join(DIST, name), { recursive: true, force: true });
    } catch {
      // It is in use after all, and goes with a later build.
    }
  }
}

/** What is loaded together is one file: what every command needs, what one that looks needs, and what a run needs. */
const LOADED_TOGETHER = {
  // A thread loads nothing else, so it stands before what holds more.
  parse: ['files/formats/csv/record-parser.ts'],
  start: ['cli/shell/main.ts'],
  look: ['cli/status.ts', 'ledger/stores/sqlite.ts'],
  run: ['cli/run.ts', 'files/formats/csv.ts', 'client/dialects/provider.ts'],
};

/** Every library that is part of what was built. */
function librariesIn(modules) {
  const folders = modules.flatMap((id) => FOLDER_OF_LIBRARY.exec(id)?.[0] ?? []);
  return [...new Set(folders)]
    .sort()
    .map((folder) => ({ ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), folder }));
}

const FOLDER_OF_LIBRARY = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/;

function licencesOf(libraries) {
  const texts = libraries.map(({ folder, name, version, license }) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? `License: ${license}\n` : readFileSync(join(folder, file), 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

/** The same libraries as scanners for known weaknesses read them (CycloneDX), because npm knows only what it installs. */
function listOf(libraries) {
  const components = libraries.map(({ name, version, license }) => ({
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    licenses: [{ license: { id: license } }],
  }));
  const { name, version } = manifest();
  const metadata = { component: { type: 'application', name, version } };
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, metadata, components });
}

/** Whether npm installs it beside the program, which then runs that: all that `npm audit` looks at for who installed a package. */
const isDependency = (id) => Object.hasOwn(manifest().dependencies, NAME_OF_LIBRARY.exec(id)?.[0] ?? '');

const manifest = () => {
  known ??= JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return known;
};
let known;

const NAME_OF_LIBRARY = /^(?:@[^/]+\/)?[^/]+/;

const isOfLibrary = (id) => id.includes('node_modules') || isDependency(id);

/** Names the file that a module is put into. A library has one of its own; what is not named is left to the bundler. */
function chunkOf() {
  const entryFiles = new Set(entries().map((file) => join(SOURCES, file)));
  const chunks = new Map();
  const importedBy = (id, context) => context.getModuleInfo(id)?.importedIds ?? [];
  const add = (id, name, context) => {
    if (chunks.has(id) || isOfLibrary(id)) return;
    const isPlainCore = (isIn('core', id) || isIn('lib', id)) && !importedBy(id, context).some(isOfLibrary);
    chunks.set(id, isPlainCore ? 'start' : name);
    for (const imported of importedBy(id, context)) add(imported, name, context);
  };
  const addAll = (context) => {
    for (const [name, roots] of Object.entries(LOADED_TOGETHER)) {
      for (const root of roots) add(join(SOURCES, root), name, context);
    }
  };
  return (id, context) => {
    // What the bundler itself adds, and every file may need.
    if (id.startsWith('\0')) return 'start';
    if (isOfLibrary(id)) return FOLDER_OF_LIBRARY.exec(id)?.[1];
    if (entryFiles.has(id) || isIn('ledger/stores', id)) return null;
    if (chunks.size === 0) addAll(context);
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

/** No connection of ours speaks it, and with it Node would load all that it has for HTTP/2. */
const OF_HTTP2 = 'undici/lib/dispatcher/client-h2.js';
const IN_PLACE_OF_HTTP2 = "module.exports = () => { throw new Error('HTTP/2 is not spoken here.'); };";

const partsOfLibraries = {
  name: 'parts of libraries',
  resolveId: (id) => (Object.hasOwn(PARTS, id) ? join(ROOT, `parts-of-${id}`) : null),
  load: (id) =>
    PARTS[id.slice(join(ROOT, 'parts-of-').length)] ?? (id.endsWith(OF_HTTP2) ? IN_PLACE_OF_HTTP2 : null),
};

/**
 * An import of `node:http` reads everything that it exports, which makes Node load its own fetch and costs more than the
 * rest of a start. So what is built takes from a module of Node what it names, and nothing else. Each import stays on its
 * line, so the source maps stay right.
 */
const cheapBuiltins = {
  name: 'cheap builtins',
  renderChunk: (code) => ({
    code: code.replace(IMPORT_OF_BUILTIN, (whole, all, some, id) => {
      if (!isBuiltin(JSON.parse(id))) return whole;
      const names = [all, some?.replaceAll(' as ', ': ')].filter(Boolean);
      return names.map((name) => `const ${name} = globalThis.process.getBuiltinModule(${id});`).join(' ');
    }),
    map: null,
  }),
};

const IMPORT_OF_BUILTIN = /^import (?:(?:\* as )?(\w+))?(?:, )?(\{[^}]*\})? from ("[^"]+");$/gm;

const { isBuiltin } = process.getBuiltinModule('node:module');

/**
 * V8 keeps a file with a single letter such as `…` in two bytes for each of its letters: a megabyte more to read, to compare with
 * what was compiled before, and to collect. So such a letter is written as its number.
 */
const plainLetters = {
  name: 'plain letters',
  // At the very end, because the bundler prints letters.
  generateBundle: (_options, bundle) => {
    for (const chunk of Object.values(bundle))
      if (chunk.type === 'chunk') chunk.code = inPlainLetters(chunk.code);
  },
};

function inPlainLetters(code) {
  const [raw] = /\\[\u0080-\uffff]|\braw`[^`]*[\u0080-\uffff]/.exec(code) ?? [];
  if (raw !== undefined) throw new Error(`As a number this would say something else: ${raw}`);
  return code.replace(/[\u0080-\uffff]/g, numberOf);
}

const numberOf = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** What a browser gets: one script, one style, and the two files that name them. */
async function buildPage(rolldown, folder) {
  const { transform } = await import('lightningcss');
  const page = join(SOURCES, 'web', 'page');
  const bundle = await rolldown({
    cwd: ROOT,
    input: { page: join(page, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(page, 'tsconfig.json'),
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
    minify: true,
    comments: false,
    // A view that is loaded late is a file of its own, and everything else is one, which comes before any view is shown.
    codeSplitting: {
      groups: [{ debugName: 'shared', name: (id, context) => (isLate(id, context) ? null : 'shared') }],
    },
  });
  await bundle.close();
  for (const name of ['index.html', 'icon.svg']) copyFileSync(join(page, name), join(folder, name));
  const style = { filename: 'page.css', code: readFileSync(join(page, 'page.css')), minify: true };
  writeFileSync(join(folder, style.filename), transform(style).code);
  return output;
}

/** Whether nothing but an `import()` asks for it. */
function isLate(id, context) {
  const { importers = [], dynamicImporters = [] } = context.getModuleInfo(id) ?? {};
  return importers.length === 0 && dynamicImporters.length > 0;
}

function entries() {
  const membersIn = (folder) =>
    readdirSync(join(SOURCES, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name}`);
  return [...OTHER_ENTRIES, ...FAMILIES.flatMap(membersIn)];
}

const [, started = '', option, folder] = process.argv;
const isStarted = started !== '' && realpathSync(started) === import.meta.filename;
if (isStarted && option === '--types-in') writeTypes(folder);
else if (isStarted && !(option === '--if-older' && buildOfSources()))
  await build({ withTypes: option === '--types' });
