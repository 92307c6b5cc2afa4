import { stop } from '../core/errors.ts';
import { byFlag, phrase } from '../core/phrase.ts';
import { isUrl, type Store } from './store.ts';

/** Also of one that is not percent-encoded: whatever stands between a colon and an @ may be one. */
const HAS_PASSWORD = /^\w+:\/\/[^@]*:[^@]*@|[?&]password=/i;

/**
 * The store that a location belongs to. What it needs is loaded only then.
 * @throws StopError `store` for a URL that is none of ours, or that has a password in it. The list of
 *   processes, the shell's history, kept commands and messages would show the password.
 */
export async function storeAt(location: string): Promise<Store> {
  if (!isUrl(location)) return (await import('./stores/sqlite.ts')).default;
  const shown = location.replace(/:\/\/.*/s, '://…');
  if (!/^postgres(?:ql)?:/i.test(location) || !URL.canParse(location))
    throw stop(
      'store',
      `No kind of store has the address ${shown}.`,
      phrase`Name a folder on a local disk ${byFlag('--store')}, or postgres://USER@HOST:PORT/DATABASE.`,
    );
  if (HAS_PASSWORD.test(location))
    throw stop(
      'store',
      `The URL ${shown} came with a password, which others can read wherever it is shown.`,
      'Leave it out, and put it into the file that PGPASSFILE names, or into PGPASSWORD.',
    );
  return (await import('./stores/postgres.ts')).default;
}
