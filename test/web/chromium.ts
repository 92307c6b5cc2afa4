import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as launcher } from 'playwright-core';

/**
 * A real browser. Its flags are our own: those that come with the package switch the same-origin policy off, which is what
 * half of the page's safety stands on.
 */

const FLAGS = [
  '--no-sandbox',
  '--headless=new',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-quic',
];

export async function openBrowser(flags: readonly string[] = []): Promise<Browser> {
  const browser = await launcher.launch({ executablePath: await unpacked(), args: [...FLAGS, ...flags] });
  // As long as the other waits of these tests, so that a slow machine is not a failure.
  browser.on('context', (context) => context.setDefaultTimeout(180_000));
  return browser;
}

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');
const CACHE = join(MODULES, '.cache');

/**
 * The browser, unpacked once for all runs of the tests. The package unpacks it where it is started from, and takes for whole
 * what another worker is still writing there; so each unpacks in a folder of its own, which gets its name when it is whole.
 */
async function unpacked(): Promise<string> {
  const manifest = readFileSync(join(MODULES, '@sparticuz', 'chromium', 'package.json'), 'utf8');
  const folder = join(CACHE, `chromium-${JSON.parse(manifest).version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  mkdirSync(CACHE, { recursive: true });
  const own = mkdtempSync(join(CACHE, 'chromium-new-'));
  const { TMPDIR } = process.env;
  process.env.TMPDIR = own;
  try {
    await chromium.executablePath();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  try {
    renameSync(own, folder);
  } catch (error) {
    // Another worker was first.
    if (!existsSync(path)) throw error;
    rmSync(own, { recursive: true });
  }
  return path;
}
