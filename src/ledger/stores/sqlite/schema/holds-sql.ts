import { HOLDS_TABLE } from '../tables.ts';
/** When a person paused a batch and let it go on again. The newest entry of a batch says which. */
export const HOLDS = `
${HOLDS_TABLE.definition}
CREATE INDEX holds_batch ON holds (batch, id);
`;
