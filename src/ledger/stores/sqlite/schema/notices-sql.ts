import { NOTICES_TABLE } from '../tables.ts';
/**
 * What jobs tell outside, with the id by which a receiver knows it. It is no money: nothing is decided by it. Ledgers from before
 * it lack the table (`later-tables.ts`).
 */
export const NOTICES = `
-- \`sent_at\`: when somebody has received it; NULL until then.
${NOTICES_TABLE.definition}
`;
