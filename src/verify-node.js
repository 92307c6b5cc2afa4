#!/usr/bin/env node
// Run by `npm install` in a checkout, before anything else of it is. The lockfile has a hash of the package `node`, but not of
// the binary that this package fetches for the machine, so the binary is held against the digests below. It has to run on
// any Node with which npm runs, so it is plain JavaScript.

/**
 * SHA-256 of `bin/node` (`bin/node.exe` on Windows) as the package brings it, by version and platform. A digest is entered
 * by whoever raises the version, after it was compared with that of the same file in the release at nodejs.org;
 * docs/decisions.md says which of these were.
 */
const DIGESTS = {
  '24.21.0': {
    'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  },
};

verify();

async function verify() {
  const { createHash } = await import('node:crypto');
  const { createReadStream, existsSync, readFileSync, realpathSync } = await import('node:fs');
  const { pipeline } = await import('node:stream/promises');
  const { fileURLToPath } = await import('node:url');
  const inPackage = (path) => fileURLToPath(new URL(`../node_modules/node/${path}`, import.meta.url));
  const binary = [inPackage('bin/node.exe'), inPackage('bin/node')].find((path) => existsSync(path));
  if (binary === undefined) return;

  // npm puts the new binary first into the path of its scripts, and that one must not be its own judge.
  const asking = process.env.npm_node_execpath;
  if (asking && asking !== binary && realpathSync(process.execPath) === realpathSync(binary)) {
    return runBy(asking, fileURLToPath(import.meta.url));
  }

  const { version } = JSON.parse(readFileSync(inPackage('package.json'), 'utf8'));
  const platform = `${process.platform}-${process.arch}`;
  const expected = DIGESTS[version]?.[platform];
  if (expected === undefined) {
    console.error(
      `The Node ${version} that npm install brought along was not verified: no digest for ${platform} is known here. Compare it with https://nodejs.org/dist/v${version}/SHASUMS256.txt, or use a Node of your own.`,
    );
    return;
  }
  const hash = createHash('sha256');
  await pipeline(createReadStream(binary), hash);
  const found = hash.digest('hex');
  if (found === expected) return;
  console.error(
    `${binary} is not the Node ${version} that it should be: its SHA-256 is ${found} and should be ${expected}.\nDelete node_modules, look where npm takes its packages from, then run npm install again.`,
  );
  process.exitCode = 1;
}

async function runBy(node, script) {
  const { spawnSync } = await import('node:child_process');
  const { npm_node_execpath: _, ...env } = process.env;
  const { error, status } = spawnSync(node, [script], { stdio: 'inherit', env });
  if (error !== undefined) console.error(`${node} cannot be started: ${error.message}.`);
  process.exitCode = status ?? 1;
}
