import { stop } from '../../core/errors.ts';
import { asFlag, byFlag, faces, phrase, typing } from '../../core/phrase.ts';
import { counted, linesOf, plainText } from '../../core/plain-text.ts';
import type { ErasureObject } from '../../objects/log-object.ts';
import { isNothing, neededWords } from '../../run/erase.ts';
import type { Console } from './command.ts';

/** An erasure in one store, which is first asked for with `dryRun`. */
interface ErasureTalk {
  readonly location: string;
  /** Words for the data to erase, which stand in the question: `everything about this person`. */
  readonly what: string;
  readonly yes: boolean;
  readonly dryRun: boolean;
  erase(dryRun: boolean): Promise<ErasureObject>;
}

/**
 * Shows the data to erase, asks the user, and erases it.
 * @throws StopError `consent` when the user does not agree.
 */
export async function talkedErasure(console: Console, talk: ErasureTalk): Promise<ErasureObject> {
  const found = await talk.erase(true);
  for (const line of foundLines(talk, found)) console.print(plainText(line));
  if (talk.dryRun || isNothing(found)) return found;
  if (!talk.yes) {
    if (!console.interactive)
      throw stop(
        'consent',
        'Erasing needs your yes, and this is not a terminal.',
        phrase`Check it${typing` ${byFlag('--dry-run')}`}, then
          ${faces(phrase`add ${asFlag('--yes')}`, 'agree')}.`,
      );
    if (!(await console.agrees(`Erase ${talk.what} in ${talk.location} for good?`)))
      throw stop('consent', 'You did not agree, so nothing was erased.', 'Answer y to erase it.');
  }
  const erased = await talk.erase(false);
  console.print(plainText(`Erased in ${talk.location}. ${BACKUPS}`));
  if (erased.due !== undefined) console.warn(plainText(erased.due));
  return erased;
}

const BACKUPS = 'Backups and copies of the store still hold it: delete or replace them.';

function foundLines({ location, yes, dryRun }: ErasureTalk, found: ErasureObject): readonly string[] {
  const needed = neededWords(found);
  // Files of the user's are never touched.
  const keptLines = found.outputs.map((path) => `  stays; check it yourself: ${path}`);
  const team = found.memberships.map(
    ({ project, state, end_with = 'look at the service' }) =>
      `  stays ${state === 'member' ? 'a member of' : 'invited to'} ${project}; to end that first: ` +
      `${end_with}`,
  );
  const { credits = 0, shared = 0 } = found.of_list ?? {};
  const others = shared > 0 && `  stays: ${counted(shared, 'request')} on which other lists rest`;
  const cost = credits > 0 && `  they cost ${counted(credits, 'credit')}, and may be bought again`;
  const stays = linesOf(cost, others, keptLines, team, needed !== undefined && `  stays: ${needed}`);
  const nothing = `Nothing of that ${found.needed_by.length === 0 ? 'is' : 'can be erased'} in ${location}.`;
  if (isNothing(found)) return [nothing, ...stays];
  const { requests, cut, rows, names, files } = found;
  const parts = linesOf(
    requests > 0 && counted(requests, 'request'),
    cut > 0 && `a part of ${counted(cut, 'answer')}`,
    rows > 0 && counted(rows, 'row'),
    names > 0 && counted(names, 'other place', 'other places'),
    files.length > 0 && counted(files.length, 'kept list'),
  );
  return linesOf(
    `In ${location}: ${parts.join(', ')}.`,
    files.map((file) => `  ${yes && !dryRun ? 'removed' : 'would be deleted'}: ${file}`),
    stays,
  );
}
