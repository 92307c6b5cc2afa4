import type { Beginning, ListView, OtherList, Refusal } from '../../api.ts';
import { bearer, noAnswer, offline, Refused, requireServer, showActed } from '../session.ts';
import { type Arriving, arriving } from './arriving.ts';

/** A shorter file is here before its first rows could be shown. */
const BEGINNING_BYTES = 1 << 18;

/**
 * @param as what she has said that the file is.
 * @returns undefined where she did not want it to the end.
 */
export async function bringFile(file: File, as?: string): Promise<ListView | OtherList | undefined> {
  const leaving = new AbortController();
  const { name, size } = file;
  const cancel = (): void => leaving.abort();
  const tell = (more: Partial<Arriving>): void => {
    if (arriving.value?.cancel === cancel) arriving.value = { ...arriving.value, ...more };
  };
  const forget = (): void => {
    if (arriving.value?.cancel === cancel) arriving.value = undefined;
  };
  arriving.value = {
    name,
    rows: null,
    part: 0,
    beginning: undefined,
    list: undefined,
    isShown: false,
    cancel,
  };
  try {
    const beginning = file.slice(0, BEGINNING_BYTES);
    if (size > BEGINNING_BYTES) {
      tell({ rows: await rowsLikely(beginning, size) });
      const path = `/lists/beginning?${new URLSearchParams({ name, size: String(size) })}`;
      const readBeginning = await send<Beginning>('POST', path, beginning, { signal: leaving.signal });
      tell({ beginning: readBeginning, rows: readBeginning.rows });
    }
    const path = `/lists?${new URLSearchParams({ name, ...(as && { as }) })}`;
    const answer = await send<ListView | OtherList>('PUT', path, file, {
      signal: leaving.signal,
      onSent: (part) => tell({ part }),
    });
    if ('other' in answer) forget();
    else tell({ part: 1, list: answer });
    return answer;
  } catch (error) {
    forget();
    if (leaving.signal.aborted) return undefined;
    throw error;
  }
}

/** By the lines of its beginning; null for a file that is no text. */
async function rowsLikely(beginning: Blob, size: number): Promise<number | null> {
  const text = await beginning.text();
  const lines = text.split('\n').length - 1;
  return text.includes('\0') || lines < 2 ? null : Math.round((lines * size) / beginning.size);
}

interface Sending {
  readonly signal: AbortSignal;
  /** Is told which part of the bytes has left, from 0 to 1. */
  onSent?(part: number): void;
}

/** Sends the bytes of a file. `fetch` could not say how far they are. @throws Refused */
async function send<T>(
  method: 'POST' | 'PUT',
  path: string,
  file: Blob,
  { signal, onSent }: Sending,
): Promise<T> {
  await requireServer(path, signal);
  const request = new XMLHttpRequest();
  request.open(method, `/api${path}`);
  request.setRequestHeader('authorization', bearer());
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onSent?.(loaded / total);
  const stop = (): void => request.abort();
  signal.addEventListener('abort', stop);
  await new Promise((resolve) => {
    request.onloadend = resolve;
    request.send(file);
  });
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  const { status, response } = request;
  if (status === 0) {
    offline.value = true;
    throw noAnswer();
  }
  if (status >= 400) throw new Refused((response as Refusal).error);
  if (method === 'PUT') showActed();
  return response as T;
}
