import { onlyAddedTo } from './refusals.ts';

/** The table that schema 6 added. */
export const HOLDS_TABLE = `
CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  batch INTEGER NOT NULL REFERENCES batches (id),
  held INTEGER NOT NULL CHECK (held IN (0, 1)),
  at INTEGER NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;
CREATE INDEX holds_batch ON holds (batch, id);
`;

/** When a person paused a batch and let it go on again. The newest entry of a batch says which. */
export const HOLDS = `${HOLDS_TABLE}${onlyAddedTo('holds')}`;
