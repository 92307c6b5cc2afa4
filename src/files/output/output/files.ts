import { besideFile, partsOf } from '../../../core/file-name.ts';
import type { Operation } from '../../../core/operation.ts';
import type { Job } from '../../../job/job.ts';

/** The files that stand beside an output, by their names. */

/** What may be added to the input's columns, and written beside the output. */
export interface Additions extends Pick<Job, 'add' | 'onExisting' | 'formulas' | 'withInput'> {
  readonly operation?: Pick<Operation, 'resultsFile'>;
}

export function resultsFilesOf({ operation }: Additions): readonly string[] {
  return operation?.resultsFile === undefined ? [] : [operation.resultsFile];
}

/** Every file that may be written for an output of that path by any operation, itself included. */
export function filesOf(output: string): readonly string[] {
  return filesWith(output, RESULTS_FILES);
}

/** The results files of all operations; a test compares the list with theirs. */
const RESULTS_FILES = ['people', 'results'] as const;

export function filesWith(output: string, resultsFiles: readonly string[]): readonly string[] {
  const results = resultsFiles.map((name) => resultsPath(output, name));
  return [output, attentionPath(output), ...results, removedPath(output), reportPath(output)];
}

export function attentionPath(output: string): string {
  return besideFile(output, `.needs-attention${partsOf(output).ending}`);
}

/** `leads.enriched.csv` → `leads.enriched.people.csv`. */
export function resultsPath(output: string, name: string): string {
  return besideFile(output, `.${name}.csv`);
}

export function removedPath(output: string): string {
  return besideFile(output, '.removed.csv');
}

export function reportPath(output: string): string {
  return besideFile(output, '.report.html');
}
