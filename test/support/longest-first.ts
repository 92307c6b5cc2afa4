import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The files that take longest, in that order. What takes long and begins last is waited for by workers that have nothing to
 * do; a clean clone knows no times yet, and would begin with the files that have the most text.
 */
const LONGEST = [
  'web/start',
  'cli/later',
  'web/run',
  'web/stops',
  'web/table',
  'web/ends',
  'simulate/simulate',
  'web/same-figures',
  'web/team',
  'web/look',
  'faults/earlier-stores',
  'web/alive',
  'cli/worker-lists',
  'cli/try-line',
  'sandbox/played',
  'web/whole-day',
  'web/filters',
  'cli/eight-vendors',
  'faults/fill',
  'cli/several-accounts',
  'faults/on-postgres',
  'web/price',
  'web/versions',
  'cli/accounts',
  'web/nights',
  'web/home',
  'web/lists',
  'faults/series',
  'web/accounts',
  'web/commands',
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
