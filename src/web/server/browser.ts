import { spawn } from 'node:child_process';
import { replaceFile } from '../../core/atomic-file.ts';
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
export async function openBrowser(folder: string, address: string): Promise<boolean> {
  const page = redirectIn(folder);
  await replaceFile(page, 0o600, [
    '<!doctype html><meta charset="utf-8"><title>Rowonce</title>',
    `<meta http-equiv="refresh" content="0; url=${address}">\n`,
  ]);
  const [program, ...words] = OPENERS[process.platform] ?? ['xdg-open'];
  const opener = spawn(program, [...words, page], { stdio: 'ignore', detached: true });
  opener.unref();
  return new Promise((resolve) => {
    opener.once('spawn', () => resolve(true));
    opener.once('error', () => resolve(false));
  });
}
