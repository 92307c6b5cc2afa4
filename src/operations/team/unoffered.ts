import { type StopError, stop } from '../../core/errors.ts';

/** What the service has announced and does not offer. A user who asks for it should not hear of a misspelt name. */
const UNOFFERED: readonly { readonly words: RegExp; readonly what: string; readonly next: string }[] = [
  {
    words: /^(delete|remove)-projects?$/i,
    what: 'Deleting a project',
    next: 'Delete it in the service itself; the operation remove-user takes people out of it.',
  },
  {
    words: /^(scim(-.*)?|(de)?provision-users?)$/i,
    what: 'SCIM user management',
    next: 'Keep the team in a spreadsheet and use onboard.',
  },
];

export function unoffered(word: string): StopError | undefined {
  const found = UNOFFERED.find(({ words }) => words.test(word));
  return found && stop('unsupported', `${found.what}: the service does not offer this yet.`, found.next);
}
