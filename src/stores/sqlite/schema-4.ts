/**
 * What schema 4 adds: the input that a row was settled from, and a checksum over each row. Everything that earlier
 * schemas kept stays as it is, checksums included.
 */

/** Of rows that an older Rowonce settled both are NULL, which is accepted. */
const ROWS = `
-- 48 bits over the mapped cells that the row was settled from, as they stand in the file.
ALTER TABLE rows ADD COLUMN input INTEGER;
ALTER TABLE rows ADD COLUMN checksum INTEGER;
`;

/** An older Rowonce noted where rows start as it read the file again, and did not hold that against the first reading. */
const MARKS = `
DELETE FROM marks;
`;

export const SCHEMA_4 = [ROWS, MARKS].join('');
