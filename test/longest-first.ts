import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in that order. What takes long and begins last is waited for by workers that have nothing to
 * do; a clean clone knows no times yet, and would begin with the files that have the most text.
 */
const LONGEST = [
  'docs',
  'web/paths',
  'cli/nightly',
  'cli/hints',
  'faults/edits',
  'faults/crash-points',
  'faults/random-kills',
  'faults/exports',
  'faults/onboarding-crashes',
  'cli/bin',
  'faults/flips',
  'faults/answers',
  'faults/misses',
  'faults/wrong-clocks',
  'cli/run/learning',
  'faults/doubts',
  'faults/two-processes',
  'cli/nightly-stops',
  'web/ends',
  'web/plans',
  'web/running',
  'faults/onboarding-kills',
].map((name) => `${name}.test.ts`);

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.indexOf(relative(import.meta.dirname, moduleId));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((a, b) => place(a) - place(b));
  }
}
