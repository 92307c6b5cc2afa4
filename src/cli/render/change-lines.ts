import { actionCounts, withoutWordWords } from '../../core/action-words.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { counted, linesOf, plainText } from '../../core/plain-text.ts';
import type { ChangeGroup, ChangesDone, OvertakenRow } from '../../files/output/changes-done.ts';
import type { BatchId } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';

export function missingIn(changes: ChangesDone | undefined): number {
  return changes === undefined ? 0 : changes.removed.length + changes.notRemoved.length;
}

export function changesLines(changes: ChangesDone): readonly string[] {
  const { done, counts, withoutWord, groups, overtaken } = changes;
  const heldBack = counts.held_back === undefined ? '' : `, ${counts.held_back} held back`;
  const projects = Map.groupBy(groups, ({ project }) => project ?? '');
  return linesOf(
    `Changes    ${actionCounts(done) || 'none'}${heldBack}`,
    projects.size > 1 && [...projects].flatMap(([name, of]) => projectLine(name, of)),
    withoutWord > 0 && `No word    ${withoutWordWords(withoutWord)}`,
    overtakenLines(overtaken),
  );
}

function projectLine(name: string, groups: readonly ChangeGroup[]): readonly string[] {
  const done: Partial<Record<PlannedAction, number>> = {};
  for (const group of groups) {
    for (const [action, count] of Object.entries(group.done) as [PlannedAction, number][])
      done[action] = (done[action] ?? 0) + count;
  }
  const words = actionCounts(done);
  return words === '' ? [] : [`  ${name === '' ? 'no project' : plainText(name)}: ${words}`];
}

/** So many rows are named; `_reason` has all of them. */
const OVERTAKEN_SHOWN = 5;

export function overtakenLines(overtaken: readonly OvertakenRow[]): readonly string[] {
  if (overtaken.length === 0) return [];
  const are = overtaken.length === 1 ? 'is' : 'are';
  const more = overtaken.length - OVERTAKEN_SHOWN;
  return [
    `Overtaken  ${counted(overtaken.length, 'change')} ${are} no longer true, or perhaps not`,
    ...overtaken
      .slice(0, OVERTAKEN_SHOWN)
      .map(({ row, who, since }) => `  row ${row}, ${plainText(who)}: ${plainText(since)}`),
    ...(more > 0 ? [`  and ${more} more, in the _reason of their rows`] : []),
  ];
}

/** What mends the halves of a batch with which no run goes on. @param halfDone a sentence for each person. */
export function inviteAgainLines(batch: BatchId, halfDone: readonly string[]): readonly string[] {
  return halfDone.length === 0 ? [] : [`To invite them as before: ${commandLine(['undo', batch])}`];
}
