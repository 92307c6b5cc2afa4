import { isAnew, type Scene } from '../scene.ts';

/** Whether something was found for the list as it is now, and nothing else is being done. */
export const hasAnswers = ({ batch, isRunning, work, list }: Scene): boolean =>
  batch !== undefined &&
  !isAnew({ list }) &&
  batch.changes === undefined &&
  batch.settled > 0 &&
  (batch.state === 'finished' || batch.state === 'open') &&
  !isRunning &&
  work?.state !== 'waiting';

/** Whether rows of it can be asked again. Before a start, only those are that it has already. */
export const canAskAgain = (scene: Scene): boolean => hasAnswers(scene) && !scene.isPlanning.value;
