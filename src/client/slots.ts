/**
 * The names in braces within the headers of a dialect. Some are values of the account, or of the call. Every
 * other name is a slot for a secret of the vendor's, which the user's own accounts file fills, so that a
 * dialect of another person names nothing of this machine.
 */

/** Values of the account that the headers of any request may name. */
export const ACCOUNT_VALUES: readonly string[] = ['key', 'basic_key', 'project_id', 'organization_id'];

/** Names of a call, which only some requests have. */
const OF_CALL: readonly string[] = ['idempotency_key', 'id'];

/** How the accounts file names a secret. */
export const SLOT = /^[a-z][a-z0-9_]{0,63}$/;

export const isSlot = (name: string): boolean =>
  SLOT.test(name) && !ACCOUNT_VALUES.includes(name) && !OF_CALL.includes(name);
