import { canonicalJson } from '../../core/call-key.ts';
import type { Vendor } from '../../core/operation.ts';

interface IdentityParts {
  readonly id?: string | undefined;
  readonly vendor: Vendor;
  /** The base address; with a connected account that of the service's step. */
  readonly baseUrl: URL;
  readonly organizationId?: string | undefined;
  readonly connectedAccount?: string | undefined;
}

/**
 * The account's `id`, else vendor, origin, organization and connected account. Never its name: renaming must not buy
 * again, and pointing the same name at another address must not reuse what a test address answered. The format is
 * frozen, as that of the call key is.
 */
export function identityOf(parts: IdentityParts): string {
  const { id, vendor, baseUrl, organizationId, connectedAccount } = parts;
  if (id !== undefined) return canonicalJson(['id', id]);
  return canonicalJson([vendor, baseUrl.origin, organizationId ?? null, connectedAccount ?? null]);
}
