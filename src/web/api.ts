export * from './api/account-shapes.ts';
export * from './api/batch-shapes.ts';
export * from './api/list-shapes.ts';
export * from './api/plan-shapes.ts';
export * from './api/row-shapes.ts';
export * from './api/session-shapes.ts';

/**
 * The words between the page and its server: every body that a request may have and every answer, each once. The server
 * checks requests with these schemas, the page has their types, and `docs/api-http.md` is held against them.
 */
