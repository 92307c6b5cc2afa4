import { AGREEMENTS_TABLE } from '../tables.ts';
/**
 * The requests of jobs and dialects that a person agreed to, by the hash of what decides them. An entry is permanent.
 */
export const AGREEMENTS = `
-- \`shown\`: what was agreed to, as it was shown.
${AGREEMENTS_TABLE.definition}
`;
