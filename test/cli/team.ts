import { onTestFinished } from 'vitest';
import { type TeamOptions, TeamWorkplace } from '../faults/team-workplace.ts';

/** A team whose calls leave one after the other. It is gone when the test has ended. */
export async function openTeam(options: TeamOptions = {}): Promise<TeamWorkplace> {
  const team = await TeamWorkplace.open({ concurrency: 1, ...options });
  onTestFinished(() => team[Symbol.asyncDispose]());
  return team;
}
