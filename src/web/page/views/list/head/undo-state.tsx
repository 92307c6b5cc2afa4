import { stayWords } from '../../../../../files/output/team-done-words.ts';
import type { BatchStatusObject } from '../../../../api.ts';
import { Act } from '../../../parts/asking.tsx';
import { ButtonLink, Notice, Word } from '../../../parts/controls.tsx';
import { dayAndTime, grouped } from '../../../parts/figures.ts';
import { goOn, goOnLook, leftOver } from '../course/go-on.ts';
import type { OfScene, Scene } from '../scene.ts';

/** Whether what takes it back has stopped before its end. */
export const isUndoLeft = ({ batch, undoing }: Scene): boolean =>
  batch?.undone_by?.left !== undefined && !batch.undone_by.running && (undoing?.state ?? 'ended') === 'ended';

/** How far what takes it back is. */
export function UndoState({ scene }: OfScene) {
  const { changes, undone_by: undo } = scene.batch ?? {};
  if (undo === undefined) return null;
  const { created_at: at, finished, left = 0, running: isRunning } = undo;
  const more = `${grouped(left)} to go`;
  if (isRunning) return <Word look="found" says="Taking back" more={more} />;
  if (isUndoLeft(scene)) return <Word look="need" says="Undo stopped" more={more} />;
  if (finished) return <Word look="none" says="Taken back" more={takenBackWords(at, changes)} />;
  return <Word look="need" says="Undo needs attention" />;
}

/** `today 09:12, 3 removals stay`. */
const takenBackWords = (at: string, changes: BatchStatusObject['changes']): string =>
  [dayAndTime(at), changes && stayWords(changes)].filter(Boolean).join(', ');

/** What takes it back has stopped. A stop that asks for something is told in its own view. */
export function UndoStopped({ scene }: OfScene) {
  const undo = scene.batch?.undone_by;
  if (undo === undefined || !isUndoLeft(scene)) return null;
  return (
    <Notice says={`The undo was stopped. ${leftOver(undo.left)}`}>
      <ButtonLink to={`/files/${undo.batch}`} look="quiet" says="Result of the undo" />
      <Act look={goOnLook(scene)} says="Go on" does={() => goOn({ batch: undo })} />
    </Notice>
  );
}
