import { isAbsolute } from 'node:path';
import { present } from '../core/objects.ts';
import { notedOutput } from '../files/output/output.ts';
import { triedBy, undoneBy } from '../job/job-origin.ts';
import { flagFor } from '../job/job-schema.ts';
import { saidBeside, settingsKept } from '../job/job-settings.ts';
import { flagWords, nearPath, nextCommand } from '../lib/command-line.ts';
import type { FoundBatch } from './open-ledger.ts';

/**
 * The command that goes on with a batch. It is composed of the names that the batch records. No text of a
 * store is used as a command.
 */

/**
 * The command, with a larger budget where the batch has reached its own.
 * @returns undefined where no command is known.
 */
export function nextCommandOf(found: FoundBatch): string | undefined {
  const words = nextWordsOf(found);
  const { budget_to_finish: budget } = settingsKept(found.batch.settings);
  return words && nextCommand(words, budget);
}

/**
 * The words behind the program's name, without a store; undefined where one of the names cannot be typed.
 * @param byHand a list of a sweep goes on alone, and not with the next sweep.
 */
export function nextWordsOf({ batch, location }: FoundBatch, byHand = false): readonly string[] | undefined {
  const { settings, accountName } = batch;
  const undone = undoneBy(settings);
  const tried = triedBy(settings);
  const given = Object.entries(tried?.given ?? {}).map((pair) => pair.join('='));
  const job = jobOf(tried?.job ?? settings.job, batch.operation);
  const file = isAbsolute(batch.inputPath) ? nearPath(batch.inputPath) : '';
  let words = ['run', job, file, ...flagsOf({ batch, location })];
  if (settingsKept(settings).swept === true && !byHand) words = ['nightly', job];
  if (undone !== undefined) words = ['undo', undone];
  if (tried !== undefined) words = ['try', job, ...given, '--account', accountName];
  return words.every((word) => word !== '' && !/\p{Cc}/u.test(word)) ? words : undefined;
}

/** Blank where the job is neither a file nor the name of an operation. */
function jobOf(job: unknown, operation: string): string {
  if (typeof job === 'string' && isAbsolute(job)) return /\.ya?ml$/i.test(job) ? nearPath(job) : '';
  return /^[a-z][\w.,@-]*$/i.test(operation) ? operation : '';
}

function flagsOf({ batch, location }: FoundBatch): readonly string[] {
  const { partial, output_path: outputPath } = settingsKept(batch.settings);
  const { read, ...said } = saidBeside(batch.settings);
  const output = outputPath && notedOutput({ ...batch, outputPath }, location);
  const named = output === undefined ? [] : ['-o', nearPath(output)];
  return Object.entries(present({ ...read, ...said, ...partial }))
    .flatMap(([name, value]) => flagWords(flagFor(name), value))
    .concat(named);
}
