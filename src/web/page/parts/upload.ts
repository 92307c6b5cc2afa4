import type { Refusal } from '../../api.ts';
import { headers, Refused } from '../session.ts';
import { text } from '../text.ts';

/** A file on its way to the server. Only the older of the two ways in which browsers ask tells how much was sent. */
export interface Sending<T> {
  readonly done: Promise<T>;
  cancel(): void;
}

/** @param progress is told the bytes that have left. `done` rejects with `Refused`, or with undefined after `cancel`. */
export function send<T>(path: string, content: Blob, progress: (sent: number) => void): Sending<T> {
  const request = new XMLHttpRequest();
  const done = new Promise<T>((resolve, reject) => {
    const refuse = (error: Refusal['error']): void => reject(new Refused(error));
    request.upload.onprogress = ({ loaded }) => progress(loaded);
    request.onabort = () => reject(undefined);
    request.onerror = () => refuse({ code: 'offline', ...text.bring.cutOff });
    request.onload = () => {
      const answer: unknown = request.response;
      if (request.status < 300 && answer !== null) resolve(answer as T);
      else refuse((answer as Refusal | null)?.error ?? { code: 'offline', ...text.bring.cutOff });
    };
  });
  request.open('PUT', `/api${path}`);
  request.responseType = 'json';
  for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value);
  request.setRequestHeader('content-type', 'application/octet-stream');
  request.send(content);
  return { done, cancel: () => request.abort() };
}
