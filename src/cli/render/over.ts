import type { Over } from '../../run/tasks/batch-status.ts';

/** Why no run goes on with an open batch. One of its list as it is now ends it, and one of another job or account leaves it. */
export function heldUpWords({ why, changed = 'list' }: Over): string {
  const begins = `a run of it begins another batch${changed === 'list' ? ' and ends this one' : ''}`;
  return `${why}, so ${begins}; put the ${changed} back as it was to go on with it`;
}
