import { ACTS_TABLE } from '../tables.ts';
/**
 * Who worked on a batch or ordered an erasure, by their own word. No decision about money depends on it. Ledgers from before it
 * lack the table (`later-tables.ts`).
 */
export const ACTS = `
-- \`of\` is a batch, or for \`erased\` an erasure; \`after\` the newest entry of the book before.
${ACTS_TABLE.definition}
CREATE INDEX acts_of ON acts (of, id);
`;
