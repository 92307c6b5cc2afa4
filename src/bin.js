#!/usr/bin/env node
// What `rowonce` starts. Plain JavaScript without imports at the top: a Node that is too old for the rest
// must understand this file. Such a Node says so, or hands over to the newer one that `npm install` put into
// the checkout.

/** Set for a process that an older Node started in its own place. */
const HANDED_OVER = 'ROWONCE_HANDED_OVER';

/** Names the build of a checkout for the processes that a program starts. */
const BUILD = 'ROWONCE_BUILD';

/**
 * To import a module of Node reads everything that it exports, which costs; an older Node knows no other way.
 */
const builtin = (name) => process.getBuiltinModule?.(name) ?? import(name);

start();

async function start() {
  const { existsSync } = await builtin('node:fs');
  const { fileURLToPath } = await builtin('node:url');
  const beside = (path) => fileURLToPath(new URL(path, import.meta.url));
  const checkout = existsSync(beside('./cli/main.ts')) && !/[\\/]node_modules[\\/]/.test(beside('.'));

  const { tooOld } = await import('./needed-node.js');
  const fact = tooOld();
  if (fact === undefined) return startProgram(checkout, beside('../package.json'));
  const newerNode = beside('../node_modules/.bin/node');
  if (checkout && existsSync(newerNode)) return handOver(newerNode, beside('./bin.js'));
  console.error(fact);
  process.exit(2);
}

async function startProgram(checkout, manifest) {
  if (process.env[HANDED_OVER]) dieWithParent();
  await keepCompiled();
  const build = checkout ? await buildToStart() : undefined;
  if (checkout && build === undefined) process.exit(2);
  if (process.argv.slice(2).join(' ') === '--version' && wroteVersion(manifest)) return;
  // A stack trace that is asked for names the lines of the source.
  if (process.env.ROWONCE_DEBUG === '1') process.setSourceMapsEnabled(true);
  const program = build === undefined ? '../dist/main.js' : `../dist/${build}/cli/main.js`;
  const { main } = await import(program);
  return main(process.argv.slice(2));
}

/**
 * Says the version without the program, because tools ask for it often. What cannot be written is left to the
 * program.
 */
function wroteVersion(manifest) {
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
  try {
    return writeSync(1, `${JSON.parse(readFileSync(manifest, 'utf8')).version}\n`) > 0;
  } catch {
    return false;
  }
}

/**
 * The build of a checkout that is of its sources; says what to do when there is none. Whatever this process
 * starts is started from the same build, also when the sources have changed by then.
 */
async function buildToStart() {
  const { buildOfSources, isThere } = await import('./build.js');
  const given = process.env[BUILD];
  const build = isThere(given) ? given : buildOfSources();
  if (build) {
    process.env[BUILD] = build;
    return build;
  }
  const fact = build === undefined ? 'was not built yet' : 'was built from older sources';
  console.error(`The program ${fact}: run "npm run build", then the same command again.`);
  return undefined;
}

/**
 * Has Node keep what it compiled, which halves the time to start. In the user's own folder, because whoever
 * may write there decides what is run. Where nothing can be written, or the user has already said where, this
 * does nothing.
 */
async function keepCompiled() {
  const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE) return;
  const { constants, enableCompileCache } = await builtin('node:module');
  const folder = await cacheFolder();
  if (folder === undefined) return;
  const { status } = enableCompileCache(folder);
  // Also for the processes that this one starts, such as the sandbox.
  if (status === constants.compileCacheStatus.ENABLED) process.env.NODE_COMPILE_CACHE = folder;
}

/** Undefined for a user without a home, as in some containers, and where others may write. */
async function cacheFolder() {
  const { homedir } = await builtin('node:os');
  const { isAbsolute, join } = await builtin('node:path');
  const named = process.env.XDG_CACHE_HOME ?? '';
  try {
    const folder = isAbsolute(named) ? named : join(homedir(), '.cache');
    // With HOME set to nothing it would be in the current folder.
    return isAbsolute(folder) ? await ownFolder(join(folder, 'rowonce')) : undefined;
  } catch {
    return undefined;
  }
}

/** Closes the folder to others. What they could have put there already is not run. */
async function ownFolder(folder) {
  const { chmodSync, mkdirSync, statSync } = await builtin('node:fs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(folder);
  const own = process.geteuid?.();
  if (own === undefined) return folder;
  if (uid !== own || (mode & 0o022) !== 0) {
    const why = uid === own ? 'other users can write there' : 'it belongs to another user';
    console.error(`Compiled code in ${folder} is not used, because ${why}: remove the folder.`);
    return undefined;
  }
  if ((mode & 0o077) !== 0) chmodSync(folder, 0o700);
  return folder;
}

/**
 * Runs the program with the newer Node and ends as it ends. Who stops, kills or waits for this process means
 * that one, so both must live and die together.
 */
async function handOver(newerNode, script) {
  const { spawn } = await builtin('node:child_process');
  const hasTerminal = await controllingTerminal();
  const child = spawn(newerNode, [script, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [HANDED_OVER]: '1' },
  });
  process.on('SIGINT', () => {
    // A terminal sends Ctrl-C to both; a second one would mean "leave now" to the program.
    if (!hasTerminal) child.kill('SIGINT');
  });
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(
      `${newerNode} cannot be started: ${error.message}. Run npm install, then the command again.`,
    );
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Whether a Ctrl-C can reach this process and its child from a terminal at all. */
async function controllingTerminal() {
  const { closeSync, openSync } = await builtin('node:fs');
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return process.platform === 'win32';
  }
}

/**
 * The parent holds the other end of a channel. When it is gone, however it went, this process must not go on
 * spending behind the back of the user who killed it, nor keep the store's lock.
 */
function dieWithParent() {
  // Not for the processes that this one starts: they have parents of their own.
  delete process.env[HANDED_OVER];
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel?.unref();
  if (!process.connected) process.kill(process.pid, 'SIGKILL');
}
