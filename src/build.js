#!/usr/bin/env node
// Builds the program into `dist/`: few files instead of hundreds, so that it starts fast. What is found by its place
// keeps its place: every member of a family, the threads that start themselves, and the file that knows all these
// folders. Libraries stay outside, with their versions and licences. The launcher asks here whether a checkout's build is
// still that of its sources, so nothing but Node is loaded at the top.
//
//   node src/build.js              builds; `npm run build` also writes the types for programs that import the library
//   node src/build.js --if-older   builds unless the sources are those that were built last

import { readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');

/** Written last, so a build that was interrupted counts as none. */
const STAMP = join(BUILT, 'built-from.json');

/** In these folders every file is a member that is found by its name: those of `src/core/families.ts`. */
const FAMILIES = ['operations', 'vendor/dialects', 'ledger/stores', 'files/formats', 'cli'];

const OTHER_ENTRIES = [
  'index.ts',
  'cli/shell/main.ts',
  // It says where everything else is, by its own place.
  'core/families.ts',
  // It starts itself as a thread.
  'ledger/stores/sqlite/integrity.ts',
  // It must be the first of the library to run.
  'core/needed-node.ts',
];

/** @returns whether `dist/` was built from the sources as they are now; `undefined` when nothing was built. */
export function isBuiltFromSources() {
  try {
    return readFileSync(STAMP, 'utf8') === stampOf(SOURCES);
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Every file with its size and the time of its last change. It takes some 4 ms, a tenth of what reading the files does, and
 * unlike "which is newer" it notices a file that is gone, and one that was put back with its old time.
 */
function stampOf(folder) {
  const files = {};
  const add = (path) => {
    for (const entry of readdirSync(join(folder, path), { withFileTypes: true })) {
      const inner = `${path}${entry.name}`;
      if (entry.isDirectory()) {
        add(`${inner}/`);
      } else if (/\.[jt]s$/.test(inner)) {
        const { size, mtimeMs } = statSync(join(folder, inner));
        files[inner] = [size, mtimeMs];
      }
    }
  };
  add('');
  return JSON.stringify(files);
}

async function build() {
  const { rolldown } = await import('rolldown');
  // Taken first: what is changed while this builds makes the build count as older.
  const stamp = stampOf(SOURCES);
  rmSync(BUILT, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(entries().map((file) => [file.slice(0, -'.ts'.length), join(SOURCES, file)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    // An entry that other files import is one file, so that `import.meta.url` in it is its own place.
    preserveEntrySignatures: 'allow-extension',
  });
  await bundle.write({
    dir: BUILT,
    sourcemap: true,
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
  });
  await bundle.close();
  writeFileSync(STAMP, stamp);
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
