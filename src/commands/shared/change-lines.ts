import { countedActions, withoutWordWords } from '../../core/action-words.ts';
import type { PlannedAction } from '../../core/operation.ts';
import { linesOf, plainText } from '../../core/plain-text.ts';
import type { BatchId } from '../../ledger/ledger.ts';
import { commandLine } from '../../lib/command-line.ts';
import type { ChangesObject } from '../../objects/batch-object.ts';

export function changesLines(changes: ChangesObject): readonly string[] {
  const { done, counts, without_a_word: withoutWord } = changes;
  const heldBack = counts.held_back === undefined ? '' : `, ${counts.held_back} held back`;
  const projects = Map.groupBy(changes.projects, ({ project }) => project ?? '');
  return linesOf(
    `Changes    ${countedActions(done) || 'none'}${heldBack}`,
    projects.size > 1 && [...projects].flatMap(([name, of]) => projectLine(name, of)),
    withoutWord > 0 && `No word    ${withoutWordWords(withoutWord)}`,
  );
}

function projectLine(name: string, groups: ChangesObject['projects']): readonly string[] {
  const done: Partial<Record<PlannedAction, number>> = {};
  for (const group of groups) {
    for (const [action, count] of Object.entries(group.done) as [PlannedAction, number][])
      done[action] = (done[action] ?? 0) + count;
  }
  const words = countedActions(done);
  return words === '' ? [] : [`  ${name === '' ? 'no project' : plainText(name)}: ${words}`];
}

/**
 * The commands that complete half-done changes of a batch with which no run goes on.
 * @param halfDone a sentence for each person.
 */
export function inviteAgainLines(batch: BatchId, halfDone: readonly string[]): readonly string[] {
  return halfDone.length === 0 ? [] : [`To invite them as before: ${commandLine(['undo', batch])}`];
}
