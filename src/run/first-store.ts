import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { stop } from '../core/errors.ts';
import { isOutput } from '../core/our-columns.ts';
import { openFile } from '../files/input.ts';
import { besideInput } from '../files/output/output.ts';
import { commandLine, withOption } from '../lib/command-line.ts';
import type { OpeningOptions, RunOptions } from '../plan/context.ts';
import { batchLines } from './batches.ts';
import { unlessStopped } from './known-account.ts';
import { lookIfThere } from './open-ledger.ts';
import { isThere, type StoreChoice } from './store-choice.ts';

/**
 * A store that nobody named is made only where it will last and be found again: without it, a second store
 * buys everything again.
 */

type Making = Pick<OpeningOptions, 'makesStore' | 'words'> & Partial<Pick<RunOptions, 'file' | 'output'>>;

/** @throws StopError `store`, with the command that names it, where no first store is made by itself. */
export async function requireStoreOrPlace(choice: StoreChoice, making: Making): Promise<void> {
  const { location, named } = choice;
  if (named || isThere(location)) return;
  const gone: string[] = [];
  await lookIfThere(location, (fact) => gone.push(fact));
  // The command that opens the store tells the user what was there.
  const why = gone.length > 0 ? undefined : await whyNotMade(location, making);
  if (why === undefined) return;
  throw stop(
    'store',
    `There is no store at ${location} yet, so nothing is known as bought. ${why}.`,
    'Name the store with --store or $ROWONCE_STORE. A named one is made where it is not there.',
    making.words && commandLine(withOption(making.words, '--store', location)),
  );
}

async function whyNotMade(location: string, making: Making): Promise<string | undefined> {
  const written = await outputOfOther(making);
  if (written !== undefined)
    return `${written} is an output of Rowonce, so another store has its batch, and a new one buys it again`;
  if (making.makesStore === false) return 'Nobody watches this command, so it makes none by itself';
  const isInCi = !['', 'false', '0'].includes(process.env.CI ?? '');
  const where = isInCi ? 'CI' : isInContainer(location) ? 'a container' : undefined;
  return where && `In ${where} none is made by itself, because it may not last`;
}

/** The number by which Linux knows an overlay file system. Its upper layer ends with its container. */
const OVERLAY = 0x794c7630;

/**
 * Some engines set a variable. With the others, a folder outside of the overlay file system is a volume,
 * which lasts.
 */
function isInContainer(folder: string): boolean {
  if (process.env.container) return true;
  return existsSync(folder) ? statfsSync(folder).type === OVERLAY : isInContainer(dirname(folder));
}

/** An output of ours that stands beside the list, although no store of this user has its batch. */
async function outputOfOther({ file, output }: Making): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(typeof output === 'string' ? output : besideInput(file, false));
  const header =
    existsSync(path) && (await unlessStopped(openFile(path).then(({ sheet }) => sheet.header())));
  if (!header || !isOutput(header)) return undefined;
  const isKnown = (await batchLines(undefined)).some(({ batch }) => batch.outputPath === path);
  return isKnown ? undefined : path;
}
