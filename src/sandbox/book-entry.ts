import { isMembers, type Json, type JsonMembers } from './json.ts';

/**
 * A change of a vendor, made by a request or by a test. The vendor's state is all changes applied in order.
 */
export type SandboxChange =
  | {
      readonly kind: 'project_created';
      readonly project: string;
      readonly name: string;
      readonly description: string;
      readonly organization: string;
    }
  | {
      readonly kind: 'invited';
      readonly project: string;
      readonly email: string;
      readonly role: string;
      readonly invite: string;
      /** True when the person was in the organization already and accepted at once. */
      readonly accepted: boolean;
    }
  | { readonly kind: 'role_changed'; readonly project: string; readonly user: string; readonly role: string }
  | { readonly kind: 'invite_deleted'; readonly project: string; readonly invite: string }
  | { readonly kind: 'user_removed'; readonly project: string; readonly user: string };

export interface Entry {
  readonly at: string;
  readonly sequence: number;
  readonly vendor: 'provider' | 'service' | 'sandbox';
  readonly operation: string;
  readonly parameters: Json;
  readonly account: string;
  readonly credits: number;
  /** What a played vendor found, by our names. */
  readonly gave?: JsonMembers | undefined;
  readonly change?: SandboxChange | undefined;
  /** What an extension notes beside it. */
  readonly more?: JsonMembers | undefined;
}

/** A line of a book, which nobody but the sandbox writes; undefined for a line of any other file. */
export function entryIn(line: Json | undefined): Entry | undefined {
  const isOurs = isMembers(line) && Number.isSafeInteger(line.sequence) && typeof line.operation === 'string';
  return isOurs ? (line as unknown as Entry) : undefined;
}
