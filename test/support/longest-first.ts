import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in that order. What takes long and begins last is waited for by workers that have nothing to
 * do; a clean clone knows no times yet, and would begin with the files that have the most text.
 */
const LONGEST = [
  'docs',
  'faults/on-postgres',
  'cli/worker',
  'ledger/stores/conformance',
  'cli/bin',
  'web/plans',
  'web/both-ways',
  'faults/store-copies',
  'faults/random-kills',
  'faults/series',
  'web/serve',
  'faults/crash-points',
  'cli/hints',
  'cli/forget',
  'run/doubts',
  'run/sessions',
  'fuzz/fuzz',
  'adding',
].map((name) => `${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(join(import.meta.dirname, '..'), moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
