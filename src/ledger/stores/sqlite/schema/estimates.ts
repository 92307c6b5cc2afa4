import { onlyAddedTo } from './refusals.ts';

const ESTIMATES_TABLE = `
CREATE TABLE estimates (
  batch INTEGER PRIMARY KEY REFERENCES batches (id)
) STRICT;
`;

/** What schema 10 adds: what was spent before it may have been less. */
export const ESTIMATED_BEFORE = `${ESTIMATES_TABLE}
INSERT INTO estimates (batch)
  SELECT b.id FROM batches b JOIN money m ON m.scope = 'batch:' || b.id WHERE m.spent > 0;
`;

/**
 * Batches whose spent credits are the most that was charged: of one answer at least, nobody stated the price. No budget
 * depends on it.
 */
export const ESTIMATES = `${ESTIMATES_TABLE}${onlyAddedTo('estimates')}`;
