import histories from './worlds/histories.ts';
import lists from './worlds/lists.ts';
import team from './worlds/team.ts';

/** The kinds of worlds, which take turns. */
export const WORLDS = [lists, histories, team];
