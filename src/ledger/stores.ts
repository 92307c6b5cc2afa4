import { stop } from '../core/errors.ts';
import { isUrl, type Store } from './store.ts';

/**
 * The store that a location belongs to. What it needs is loaded only then.
 * @throws StopError `store` for a URL that is none of ours, or that has a password in it.
 */
export async function storeAt(location: string): Promise<Store> {
  if (!isUrl(location)) return (await import('./stores/sqlite.ts')).default;
  if (!/^postgres(?:ql)?:/i.test(location))
    throw stop(
      'store',
      `No store handles ${location.replace(/:\/\/.*/s, '://…')}.`,
      'Name a folder on a local disk with --store, or postgres://USER@HOST:PORT/DATABASE.',
    );
  refusePassword(location);
  return (await import('./stores/postgres.ts')).default;
}

/**
 * The list of processes, the shell's history and the kept commands would show a password, and so would every message that
 * names the store. Of one that is not percent-encoded, such as `12/x`, a part reads as the path, and so does the @ behind it.
 */
function refusePassword(location: string): void {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  if (url === undefined)
    throw stop(
      'store',
      'What --store names is not the URL of a database.',
      'Name it as postgres://USER@HOST:PORT/DATABASE.',
    );
  const { protocol, password, pathname, hash, searchParams } = url;
  const isHeld = [...searchParams.keys()].some((name) => /password|@/i.test(name));
  if (password === '' && !(pathname + hash).includes('@') && !isHeld) return;
  throw stop(
    'store',
    `The URL ${protocol}//… came with a password, which others can read wherever commands are shown.`,
    'Leave it out, and put it into the file that PGPASSFILE names, or into PGPASSWORD.',
  );
}
