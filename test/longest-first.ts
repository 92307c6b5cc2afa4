import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in that order. What takes long and begins last is waited for by workers that have nothing to
 * do; a clean clone knows no times yet, and would begin with the files that have the most text.
 */
const LONGEST = [
  'docs',
  'web/both-ways',
  'cli/bin',
  'web/plans',
  'web/paths',
  'faults/edits',
  'faults/onboarding-crashes',
  'faults/crash-points',
  'faults/random-kills',
  'cli/nightly',
  'cli/forget',
  'web/dead-ends',
  'faults/answers',
  'faults/wrong-clocks',
  'faults/two-processes',
  'faults/flips',
  'faults/misses',
  'web/running',
  'web/ends',
  'web/address',
  'faults/doubts',
  'cli/hints',
  'faults/onboarding-kills',
  'faults/stopping',
  'faults/exports',
  'faults/wire',
  'ledger/stores/erasures',
  'ledger/stores/conformance',
  'faults/freshness',
  'web/browser-safety',
  'faults/endings',
  'web/lists',
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
