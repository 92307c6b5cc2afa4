export * from './api/accounts.ts';
export * from './api/agreements.ts';
export * from './api/batches.ts';
export * from './api/history.ts';
export * from './api/lists.ts';
export * from './api/plans.ts';
export * from './api/rows.ts';
export * from './api/schedules.ts';
export * from './api/session.ts';

/**
 * The words between the page and its server: every body that a request may have and every answer, each once. The server
 * checks requests with these schemas, the page has their types, and `docs/api-http.md` is held against them.
 */
