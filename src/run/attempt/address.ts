import type { NotSentCause } from '../../client/judge.ts';
import type { AccountHistory } from '../../client/misses.ts';
import { type StopError, stop } from '../../core/errors.ts';
import { foreignWords } from '../../core/plain-text.ts';

/** Signs that the account has a wrong address. Each of them stops the run, because every further row would fail alike. */

/** Vendors move an operation once or perhaps twice. More redirects than this are a circle. */
export const MOST_MOVES = 3;

/** The stop for a name that does not exist and the like: it will not exist in a minute either, unless the account has worked before. */
export function wrongAddress(
  history: AccountHistory,
  cause: NotSentCause,
  message: string,
): StopError | undefined {
  if (history.answers > 0) return undefined;
  if (cause === 'unresolved') {
    return stop(
      'address',
      `The account's address cannot be found: ${message}.`,
      "Correct the account's base_url.",
    );
  }
  if (cause === 'certificate') {
    return stop(
      'address',
      `The vendor's certificate is not accepted: ${message}.`,
      "Correct the account's base_url, or name the authority of the certificate in NODE_EXTRA_CA_CERTS.",
    );
  }
  if (cause === 'proxy') {
    return stop(
      'address',
      `The vendor cannot be reached: ${message}.`,
      "Correct that variable, or put the host of the account's base_url into NO_PROXY.",
    );
  }
  return undefined;
}

export function movedTooOften(paths: readonly string[]): StopError {
  return stop(
    'address',
    `The vendor moved one request ${paths.length} times: to ${paths.map((path) => foreignWords(path)).join(', then to ')}.`,
    "Correct the operation's path in the dialect.",
  );
}
