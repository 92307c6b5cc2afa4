import { COPIES_TABLE } from '../tables.ts';

/** Where a ledger went that was copied to another store. It is read from then on, and spends no more. */
export const COPIES = `
-- \`identity\` is the name of the copy, which no other ledger has.
${COPIES_TABLE.definition}
`;
