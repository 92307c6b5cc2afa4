import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { replaceFile } from '../../lib/atomic-file.ts';
import { type ProcessLock, tryLock } from '../../lib/process-lock.ts';
import { Opening } from '../api.ts';

/** One page a store: who has its place, and where tools find it. */

/** `serve.json` in the store's folder says where the page is, and the token of tools. Its owner alone can read it. */
const Note = z.strictObject({
  url: z.string().regex(/^http:\/\/127(?:\.\d{1,3}){3}:\d{1,5}$/),
  token: z.string(),
  pid: z.int().positive(),
});
type Note = z.infer<typeof Note>;

const pathIn = (folder: string): string => join(folder, 'serve.json');

export async function writeNote(folder: string, note: Note): Promise<void> {
  await replaceFile(pathIn(folder), 0o600, [JSON.stringify(note)]);
}

export function removeNote(folder: string): void {
  rmSync(pathIn(folder), { force: true });
}

function noteIn(folder: string): Note | undefined {
  try {
    const note = Note.parse(JSON.parse(readFileSync(pathIn(folder), 'utf8')));
    // What listens at the address of a dead page is a stranger, and would say where a person types keys.
    return isOurs(note.pid) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isOurs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** What a command finds that wants to serve the page: nobody does, or the page is there already. */
export type Place =
  | { readonly kind: 'free'; readonly lock: ProcessLock }
  /** @returns other addresses of that page with every call; undefined when it has ended by now. */
  | { readonly kind: 'served'; readonly opening: Opening; another(): Promise<Opening | undefined> };

/** A page of this machine answers at once, unless it hangs. */
const ANSWER_MS = 5_000;

/** A page that is starting says soon where it is. */
const START_MS = 10_000;
const RETRY_MS = 100;

/** @throws StopError `busy` when another process has the place and does not say where its page is. */
export async function placeIn(folder: string, clock: Clock): Promise<Place> {
  const untilMs = clock.monotonicMs() + START_MS;
  for (;;) {
    const lock = tryLock(join(folder, 'serve.lock'));
    if (lock !== undefined) {
      // What a page that was killed had said is not true any more.
      removeNote(folder);
      return { kind: 'free', lock };
    }
    const note = noteIn(folder);
    const opening = note && (await newOpening(note));
    if (note !== undefined && opening !== undefined)
      return { kind: 'served', opening, another: () => newOpening(note) };
    if (note !== undefined || clock.monotonicMs() >= untilMs) throw silent(folder, note);
    await clock.sleep(RETRY_MS);
  }
}

async function newOpening({ url, token }: Note): Promise<Opening | undefined> {
  try {
    const answer = await fetch(`${url}/api/openings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    return Opening.parse(await answer.json());
  } catch {
    return undefined;
  }
}

function silent(folder: string, note: Note | undefined): StopError {
  const who = note === undefined ? 'another process' : `process ${note.pid}`;
  return stop(
    'busy',
    `The page of the store ${folder} belongs to ${who}, which does not say its address.`,
    'It may be stopping: wait for it, or end the process. Then run the same command again.',
  );
}
