import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in that order. What takes long and begins last is waited for by workers that have nothing to
 * do; a clean clone knows no times yet, and would begin with the files that have the most text.
 */
const LONGEST = [
  'web/start',
  'web/run',
  'web/stops',
  'web/ends',
  'web/table',
  'simulate/simulate',
  'web/same-figures',
  'web/team',
  'cli/later',
  'faults/on-postgres',
  'cli/worker',
  'faults/forged-store',
  'web/lists',
  'web/commands',
  'cli/eight-vendors',
  'web/versions',
  'docs',
  'web/whole-day',
  'cli/hints',
  'faults/series',
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
