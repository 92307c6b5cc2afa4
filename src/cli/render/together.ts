import { linesOf, plainText } from '../../core/plain-text.ts';
import type { RunSummary } from '../../run/summary.ts';
import type { TogetherSummary } from '../../run/tasks/together.ts';
import { summaryLines } from './summary.ts';

export function togetherLines(
  operations: readonly string[],
  { runs, waiting, files }: TogetherSummary,
): readonly string[] {
  return linesOf(
    runs.flatMap((run: RunSummary, at) => [`${operations[at]}:`, ...summaryLines(run)]),
    waiting.map((name) => `${name}: this run did not come to it`),
    files.output && `Output     ${plainText(files.output)}`,
    files.attention && `Attention  ${plainText(files.attention)}`,
  );
}
