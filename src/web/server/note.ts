import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../core/atomic-file.ts';
import { Opening } from '../api.ts';

/** `serve.json` in the store's folder says where tools find the page, and their token. Its owner alone can read it. */
const Note = z.strictObject({
  url: z.string().regex(/^http:\/\/127\.0\.0\.1:\d{1,5}$/),
  token: z.string(),
  pid: z.int().positive(),
});
type Note = z.infer<typeof Note>;

const pathIn = (folder: string): string => join(folder, 'serve.json');

export async function writeNote(folder: string, note: Note): Promise<{ remove(): void }> {
  await replaceFile(pathIn(folder), 0o600, [JSON.stringify(note)]);
  return {
    remove: () => {
      // Another server may have written its own since.
      if (noteIn(folder)?.token === note.token) rmSync(pathIn(folder), { force: true });
    },
  };
}

function noteIn(folder: string): Note | undefined {
  try {
    return Note.parse(JSON.parse(readFileSync(pathIn(folder), 'utf8')));
  } catch {
    return undefined;
  }
}

/** A page of this machine answers at once, unless it hangs. */
const ANSWER_MS = 5_000;

/** Asks the page that is served from this store for a new address; undefined when there is none. */
export async function openingAt(folder: string): Promise<string | undefined> {
  const note = noteIn(folder);
  // What listens at the address of a dead server is a stranger, and would say where a person types keys.
  if (note === undefined || !isOurs(note.pid)) return undefined;
  try {
    const answer = await fetch(`${note.url}/api/openings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${note.token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return addressOf(note.url, Opening.parse(await answer.json()).opening);
  } catch {
    return undefined;
  }
}

/** Browsers send what follows the `#` to nobody. */
export function addressOf(url: string, opening: string): string {
  return `${url}/#open=${opening}`;
}

/** Whether a process of this user has this number. */
function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
