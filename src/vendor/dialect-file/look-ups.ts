import type { Dialect, Listing } from '../dialect.ts';
import {
  ACCOUNT_VALUES,
  headersName,
  inHeaders,
  inPath,
  nestedName,
  type Problems,
  placeholdersIn,
} from './parts.ts';

/** Checks the free questions of a service: who is in a project, who is invited to it, and whose key it is. */

const LISTINGS = ['list_users', 'list_invites'] as const;

const OF_A_SERVICE = [...LISTINGS, 'whoami', 'permissions'] as const;

export function* inLookUps(dialect: Dialect): Problems {
  const { vendor, whoami } = dialect;
  const stray = OF_A_SERVICE.find((name) => dialect[name] !== undefined);
  if (stray !== undefined && vendor !== 'service') {
    const fact = `only a service has ${stray}, and this is a ${vendor}`;
    yield { keys: [stray], part: 'name', fact, next: 'Leave it out.' };
  }
  for (const name of LISTINGS) {
    const listing = dialect[name];
    if (listing !== undefined) yield* inListing(dialect, name, listing);
  }
  if (whoami === undefined) return;
  yield* inHeaders(whoami.headers, ['whoami', 'headers'], ACCOUNT_VALUES);
  yield* inPath(whoami.path, [], ['whoami', 'path']);
  if (whoami.user_id === undefined && whoami.email === undefined) {
    const fact = 'whoami says neither where the user id stands in its answer nor where the e-mail does';
    yield { keys: ['whoami'], part: 'name', fact, next: 'Add user_id or email, with its path.' };
  }
}

function* inListing(dialect: Dialect, name: string, listing: Listing): Problems {
  const { method, path, headers, next_page: nextPage } = listing;
  yield* nestedName(method, nextPage?.parameter, [name, 'next_page', 'parameter']);
  yield* inHeaders(headers, [name, 'headers'], ACCOUNT_VALUES);
  yield* inPath(path, ['project_id'], [name, 'path']);
  if (placeholdersIn(path).includes('project_id') || headersName('project_id', dialect.headers, headers))
    return;
  const fact = `neither the path nor a header of ${name} has {project_id}, so it could be the list of any project`;
  const next = 'Put {project_id} into one of them.';
  yield { keys: [name], part: 'name', fact, next };
}
