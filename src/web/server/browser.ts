import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentForOthers, loadAccounts } from '../../client/account/account.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import type { Opening } from '../api.ts';
import { redirectIn } from './admission.ts';

/** What opens a file as a person would, by the kind of system. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Whether this system has a screen that a browser could open on. */
export function hasScreen({ DISPLAY, WAYLAND_DISPLAY }: NodeJS.ProcessEnv): boolean {
  return process.platform in OPENERS || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/**
 * Opens the user's browser at an address with a one-time word. The word is in a file that only this user can read; the
 * server removes it once the word was used or is too old.
 * @returns whether something was there to open it.
 */
export async function openBrowser(folder: string, opening: Opening): Promise<boolean> {
  const page = redirectIn(folder);
  await replaceFile(page, 0o600, [leadIn(opening)]);
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  // What goes wrong with the accounts file is said where an account is used.
  const env = await loadAccounts().then(
    ({ configured }) => environmentForOthers(configured),
    () => undefined,
  );
  if (env === undefined) return false;
  const opener = spawn(program, [...words, page], { stdio: 'ignore', detached: true, env });
  opener.unref();
  return once(opener, 'spawn').then(
    () => true,
    () => false,
  );
}

/** An address in an argument could be read by every user of the machine. */
const leadIn = ({ address }: Opening): string => `<!doctype html><meta charset="utf-8"><title>Rowonce</title>
<meta http-equiv="refresh" content="0; url=${address}">
`;
