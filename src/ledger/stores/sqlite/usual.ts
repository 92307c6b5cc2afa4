import { present } from '../../../core/objects.ts';
import type { RawReply } from '../../ledger.ts';

/** What is usual of an answer, and so takes no byte or few in the tables: some of its headers, and the words of its end. */

/** The status is all that there is to say of most answers. */
export const statusWords = (status: number | null): string => `status ${status}`;

type Headers = RawReply['headers'];

interface StoredHeaders {
  readonly dated: number | null;
  readonly typed: number | null;
  readonly headers: string;
}

/** Each by its place, which is stored, so another one comes last. */
const USUAL_TYPES = ['application/json', 'application/json; charset=utf-8'];

/**
 * What every reply has takes no byte in most: a `Date` that is written as it should be stands as the seconds by which it is older
 * than the reply, and a usual `Content-Type` as its place among them.
 * @param at when the reply came, in whole milliseconds.
 */
export function storedHeaders(headers: Headers, at: number): StoredHeaders {
  const { date, 'content-type': type, ...others } = headers;
  const ms = writtenMs(date ?? '');
  const place = USUAL_TYPES.indexOf(type ?? '');
  // JSON leaves out what is undefined.
  const left = {
    ...others,
    date: ms === null ? date : undefined,
    'content-type': place < 0 ? type : undefined,
  };
  return {
    dated: ms === null ? null : secondsOf(at) - secondsOf(ms),
    typed: place < 0 ? null : place,
    headers: JSON.stringify(left),
  };
}

const secondsOf = (ms: number): number => Math.floor(ms / 1000);

/** In ms since 1970; null where it is written in another way, or by nobody. */
function writtenMs(date: string): number | null {
  // The replies of a second have one Date.
  if (date !== newestDate.text) {
    const ms = Date.parse(date);
    const isWell = !Number.isNaN(ms) && new Date(ms).toUTCString() === date;
    newestDate = { text: date, ms: isWell ? ms : null };
  }
  return newestDate.ms;
}
let newestDate: { readonly text: string; readonly ms: number | null } = { text: '', ms: null };

/** The headers that are stored so, as they came. An erasure leaves alone what stands beside the others, which names nobody. */
export function headersOf({ at, dated, typed, headers }: StoredHeaders & { readonly at: number }): Headers {
  const date = dated === null ? undefined : new Date((secondsOf(at) - dated) * 1000).toUTCString();
  const type = typed === null ? undefined : USUAL_TYPES[typed];
  return { ...present({ 'content-type': type }), ...JSON.parse(headers), ...present({ date }) };
}
