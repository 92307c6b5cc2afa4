import { onlyAddedTo } from './refusals.ts';

/** What many entries have in common (`../shapes.ts`), which each of them names by its number (schema 8). */
export const SHAPES_TABLE_8 = `
-- JSON with null in the place of every value that an entry has of its own. Nothing of it is about a person.
CREATE TABLE shapes (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,
  checksum INTEGER NOT NULL,
  operation TEXT GENERATED ALWAYS AS (text ->> '$.operation') STORED,
  credits_most INTEGER GENERATED ALWAYS AS (text ->> '$.creditsMost') STORED
) STRICT;
`;

export const SHAPES = [SHAPES_TABLE_8, onlyAddedTo('shapes')].join('');
