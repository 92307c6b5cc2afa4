/** Conditions by which entries are found. An index has no more than it takes to find them, so these say the rest. */

/** That a row of calls has a key. Keys are random, so the index has their beginnings. @param key in SQL. */
export const hasKey = (calls: string, key: string): string =>
  `substr(${calls}.key, 1, 4) = substr(${key}, 1, 4) AND ${calls}.key = ${key}`;

/**
 * That an attempt is of that call. A call has the number of its first attempt, and the index has the later ones.
 * @param id and call of the attempt, and the call that is wanted, in SQL.
 */
export const isOfCall = (id: string, call: string, wanted: string): string =>
  `((${id} = ${wanted} AND ${call} = ${wanted}) OR (${call} = ${wanted} AND ${call} <> ${id}))`;

/** The attempt with the newest answer to a call that was not taken back, whatever it is read as. @param call in SQL. */
export const newestAnswer = (call: string): string =>
  `(SELECT max(a.id) FROM attempts a JOIN answer_ages g ON g.attempt = a.id
     WHERE ${isOfCall('a.id', 'a.call', call)} AND NOT EXISTS (SELECT 1 FROM retractions x WHERE x.attempt = a.id))`;
