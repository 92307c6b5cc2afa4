import lists from './worlds/lists.ts';

/** The kinds of worlds, which take turns. */
export const WORLDS = [lists];
