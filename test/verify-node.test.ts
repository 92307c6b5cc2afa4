import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/*
 * Goal: the Node that `npm install` brings along is the one that it should be, or the installation ends there; where that
 * cannot be known, it is said.
 * Method: the script as npm runs it, in this checkout and in scratch checkouts with a package of their own.
 */

const ROOT = join(import.meta.dirname, '..');
const SCRIPT = 'src/verify-node.js';

interface Verified {
  readonly status: number | null;
  readonly stderr: string;
}

function verify(root: string, node = process.execPath, env: Readonly<Record<string, string>> = {}): Verified {
  const { status, stderr } = spawnSync(node, [join(root, SCRIPT)], { encoding: 'utf8', env });
  return { status, stderr };
}

/** A checkout with a package of that version, of which the binary is a text. */
function checkout(version: string): string {
  const root = mkdtempSync(join(tmpdir(), 'rowonce-verify-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'src'));
  mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  copyFileSync(join(ROOT, SCRIPT), join(root, SCRIPT));
  writeFileSync(join(root, 'node_modules/node/package.json'), JSON.stringify({ version }));
  writeFileSync(join(root, 'node_modules/node/bin/node'), 'something else');
  return root;
}

const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
const { version } = lockfile.packages['node_modules/node'];
const isKnown = process.platform === 'linux' && process.arch === 'x64';
const binary = join(ROOT, 'node_modules/node/bin/node');

test('it runs before anything that `npm install` builds', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.prepare).toMatch(/^node src\/verify-node\.js && /);
});

test.skipIf(!isKnown || !existsSync(binary))(
  'the Node of the lockfile passes without a word (skipped where no digest is known)',
  () => {
    expect(verify(ROOT)).toEqual({ status: 0, stderr: '' });
  },
);

test.skipIf(!isKnown)('any other content ends the installation', () => {
  const { status, stderr } = verify(checkout(version));
  expect(status).toBe(1);
  expect(stderr).toMatch(
    /is not the Node \S+ that it should be: its SHA-256 is [0-9a-f]{64} and should be [0-9a-f]{64}\./,
  );
});

test('a version or a platform without a digest is said aloud, and the installation goes on', () => {
  const { status, stderr } = verify(checkout('99.0.0'));
  expect(status).toBe(0);
  expect(stderr).toContain('The Node 99.0.0 that npm install brought along was not verified');
  expect(stderr).toContain('https://nodejs.org/dist/v99.0.0/SHASUMS256.txt');
});

test('without the package there is nothing to verify', () => {
  const root = checkout(version);
  rmSync(join(root, 'node_modules'), { recursive: true });
  expect(verify(root)).toEqual({ status: 0, stderr: '' });
});

test.skipIf(process.platform === 'win32')('it is judged by the Node that runs npm, and not by itself', () => {
  const root = checkout(version);
  const own = join(root, 'node_modules/node/bin/node');
  rmSync(own);
  try {
    linkSync(process.execPath, own);
  } catch {
    copyFileSync(process.execPath, own);
  }
  const other = join(root, 'other');
  writeFileSync(other, '#!/bin/sh\necho "judged by another: $1" >&2\nexit 7\n', { mode: 0o755 });
  expect(verify(root, own, { npm_node_execpath: other })).toEqual({
    status: 7,
    stderr: `judged by another: ${join(root, SCRIPT)}\n`,
  });
});
