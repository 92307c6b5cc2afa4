import { z } from 'zod';
import { isMembers, type Json, type JsonMembers } from './json.ts';

/** A file of its own, because a sandbox with a new book starts in half the time without this schema. */

const change = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('project_created'),
    project: z.string(),
    name: z.string(),
    description: z.string(),
    organization: z.string(),
    /** E-mail of the key's user; absent where the service does not tell who is in a project. */
    owner: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('invited'),
    project: z.string(),
    email: z.string(),
    role: z.string(),
    invite: z.string(),
    /** True when the person was in the organization already and accepted at once. */
    accepted: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('accepted'), email: z.string() }),
  z.strictObject({
    kind: z.literal('role_changed'),
    project: z.string(),
    user: z.string(),
    role: z.string(),
  }),
  z.strictObject({ kind: z.literal('invite_deleted'), project: z.string(), invite: z.string() }),
  z.strictObject({ kind: z.literal('user_removed'), project: z.string(), user: z.string() }),
  z.strictObject({ kind: z.literal('key_revoked'), account: z.string() }),
  z.strictObject({ kind: z.literal('admin_removed'), project: z.string(), account: z.string() }),
  z.strictObject({ kind: z.literal('tag_applied'), domain: z.string(), tag: z.string() }),
]);

/** A change of a vendor, made by a request or by a test. The vendor's state is all changes applied in order. */
export type SandboxChange = z.infer<typeof change>;

const answered = z.strictObject({
  idempotency_key: z.string(),
  fingerprint: z.string(),
  status: z.int(),
  body: z.custom<JsonMembers>((value) => isMembers(value as Json)),
});

const person = z.strictObject({ project: z.string(), email: z.string() });

/** A person in one project; the same e-mail in another project counts as another person here. */
export type SandboxPerson = Readonly<z.infer<typeof person>>;

const entrySchema = z.strictObject({
  at: z.string(),
  sequence: z.int().min(1),
  vendor: z.enum(['provider', 'service', 'sandbox']),
  operation: z.string(),
  parameters: z.custom<Json>((value) => value !== undefined),
  account: z.string(),
  credits: z.int().min(0),
  change: change.optional(),
  /** The service refused a change of this person. */
  refused: person.optional(),
  answered: answered.optional(),
});

export type Entry = Readonly<z.infer<typeof entrySchema>>;

export function entryIn(line: Json | undefined): Entry | undefined {
  return entrySchema.safeParse(line).data;
}
