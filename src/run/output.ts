import { dirname, join } from 'node:path';
import type { StopError } from '../core/errors.ts';
import { STOPS } from '../core/stops.ts';
import { calledPath } from '../files/called.ts';
import type { MappedInput, OpenedInput } from '../files/input.ts';
import {
  additionOf,
  besideInput,
  type Destination,
  type OutputFiles,
  usualName,
  type WantedOutput,
  writeOutput,
} from '../files/output/output.ts';
import type { Job } from '../job/job.ts';
import { settingsKept } from '../job/job-settings.ts';
import type { Batch, LedgerReader } from '../ledger/ledger.ts';
import { nameParts } from '../lib/file-name.ts';
import { placeInBatch } from '../plan/batch.ts';
import type { BatchNames } from '../plan/batch-key.ts';
import type { RunContext, RunList } from '../plan/context.ts';
import { answerPlaceIn, type PlanContext } from '../walk/resolved-job.ts';
import { pricesIn } from './known-account.ts';

/** A sweep writes what is finished. */
export function isWrittenAfter(stopped: StopError | undefined, { isSweep }: RunContext): boolean {
  if (isSweep === true && stopped !== undefined) return false;
  return stopped === undefined || STOPS[stopped.code].output_is_written;
}

/** Writes every row of the batch from the ledger. */
export async function writeRows(
  context: RunContext,
  input: MappedInput,
  batch: Batch,
  destination: Destination,
): Promise<OutputFiles> {
  const { ledger } = context;
  const answerPlace = placeInBatch(context, batch);
  const writing = { ...context, answerPlace, spender: ledger, priceOf: await pricesIn(ledger) };
  return writeOutput(writing, input, batch, destination);
}

export function wantedOutput(context: RunContext, name: string | undefined): WantedOutput {
  const { output, account } = context;
  const answerPlace = answerPlaceIn(context);
  return { named: output === false ? undefined : output, sandbox: account.sandbox, name, answerPlace };
}

/**
 * The part of an output's name between the input's name and its ending. A batch fixes this part when it
 * begins and keeps it with its settings, so that two operations over one file never write to the same path,
 * in whatever order they are resumed. It changes only when the input was moved to a folder where another
 * operation's output has that name.
 */

/**
 * Chooses the name, or keeps the one that was fixed. When the user names the output (`context.output`),
 * nothing is chosen.
 * @returns undefined when the user has named every output of the batch so far.
 */
export async function outputNameFor({ context, input, names }: RunList): Promise<string | undefined> {
  const { path: inputPath, sheet } = input;
  const { job, account, ledger, output, emit } = context;
  const batches = await ledger.batches();
  // The batch that the run resumes, or else the batch that it replaces because the file was edited.
  const ownBatch = names.existing ?? batches.find(({ lineage }) => lineage === names.lineage);
  const keptName = ownBatch && settingsKept(ownBatch.settings).output_name;
  if (output !== undefined) return keptName;
  const others = batches.filter((batch) => batch.key !== ownBatch?.key && !isSameWork(batch, job));
  const called = calledPath(inputPath, sheet.layout);
  const placeOf = (name: string): string => besideInput(called, account.sandbox, name);
  const usual = usualName(account.sandbox);
  // Others may have written into the store, so it counts only as one of the names that are made here.
  const word = keptName?.replace(/\.sandbox$/, '').replace(/-\d+$/, '');
  const fixed = word === job.operation.name ? keptName : undefined;
  for (const name of namesFor(fixed, usual, job.operation.name, account.sandbox)) {
    const holder = holderOf(placeOf(name), others);
    if (holder === undefined) return name;
    const message = `${placeOf(name)} is the output of ${holder.operation}, batch ${holder.id}, so it is kept.`;
    emit({ kind: 'note', message });
  }
  return undefined;
}

/** `leads.enriched.csv`, `leads.enrich-person.csv`, `leads.enrich-person-2.csv` and so on. */
function* namesFor(fixed: string | undefined, usual: string, operation: string, sandbox: boolean) {
  yield* fixed === undefined ? [usual] : [fixed, usual];
  for (let number = 1; ; number += 1) {
    const word = number === 1 ? operation : `${operation}-${number}`;
    yield sandbox ? `${word}.${usualName(sandbox)}` : word;
  }
}

/**
 * Requires that the job's columns may be added to this input, as a run does before it buys anything.
 * @param existing the batch of this job and input, if there is one.
 * @throws StopError `job`
 */
export async function requireFreeColumns(
  context: PlanContext,
  { path, file, sheet }: OpenedInput,
  existing: Batch | undefined,
): Promise<void> {
  const { job, ledger } = context;
  if (job.add === undefined) return;
  const survey = { sha256: await file.sha256() };
  const isOfOther =
    ledger !== undefined && (await isOutputOfOther({ job, ledger }, { path, survey }, { existing }));
  const place = answerPlaceIn(context);
  additionOf(await sheet.header(), job.add, job.on_existing, isOfOther, place);
}

/**
 * Whether the input is the output of other work, as far as the ledger knows. Then its columns may have the
 * names of ours and are not ours. A batch keeps what was known when it began, so that its output is the same
 * whenever it is written.
 */
export async function isOutputOfOther(
  { job, ledger }: { readonly job: Job; readonly ledger: LedgerReader },
  { path, survey: { sha256 } }: { readonly path: string; readonly survey: { readonly sha256: string } },
  { existing }: Pick<BatchNames, 'existing'>,
): Promise<boolean> {
  if (existing !== undefined) return settingsKept(existing.settings).input_of_other === true;
  const writers = (await ledger.batches()).filter(
    ({ outputPath, outputSha256 = '' }) => outputPath === path || outputSha256.split(' ').includes(sha256),
  );
  return writers.length > 0 && !writers.some((batch) => isSameWork(batch, job));
}

/**
 * Whether a batch does the same work, so that its output may be replaced. A generic operation is recognised
 * by its job file.
 */
function isSameWork({ operation, settings }: Batch, { name, path, operation: jobOperation }: Job): boolean {
  if (operation !== jobOperation.name) return false;
  const asksByJob = Object.values(jobOperation.settings ?? {}).includes('asks');
  return !asksByJob || settings.job === (path ?? name);
}

/**
 * The batch whose output has this path, or will have it. The files beside an output share its name, whatever
 * its ending.
 */
function holderOf(place: string, others: readonly Batch[]): Batch | undefined {
  const stem = stemOf(place);
  return others.find(({ outputPath, inputPath, sandbox, state, settings }) => {
    const { layout, output_name } = settingsKept(settings);
    const name = state === 'open' || state === 'finished' ? output_name : undefined;
    const paths = [outputPath, name && besideInput(calledPath(inputPath, layout), sandbox, name)];
    return paths.some((path) => path !== undefined && stemOf(path) === stem);
  });
}

function stemOf(path: string): string {
  return join(dirname(path), nameParts(path).stem.replace(/ \(\d+\)$/, ''));
}
