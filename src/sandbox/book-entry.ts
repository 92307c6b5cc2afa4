import { z } from 'zod';
import { isMembers, type Json, type JsonMembers } from './json.ts';

/**
 * What one line of the vendors' book says. Apart from the book, because a sandbox with a new one reads no line, and
 * starts in half the time without what checks them.
 */

const change = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('project_created'),
    project: z.string(),
    name: z.string(),
    description: z.string(),
    organization: z.string(),
    /** E-mail of the key's own user, where the service says who is in a project. */
    owner: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('invited'),
    project: z.string(),
    email: z.string(),
    role: z.string(),
    invite: z.string(),
    /** The organization knew the person already, so that there was nothing to wait for. */
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

/** Something that altered a vendor, or that a test did to one. State is nothing but these, applied in order. */
export type SandboxChange = z.infer<typeof change>;

const answered = z.strictObject({
  idempotency_key: z.string(),
  /** Of the request. */
  fingerprint: z.string(),
  status: z.int(),
  body: z.custom<JsonMembers>((value) => isMembers(value as Json)),
});

/** What was answered to a request that named an idempotency key. */
export type SandboxAnswered = Readonly<z.infer<typeof answered>>;

const person = z.strictObject({ project: z.string(), email: z.string() });

/** Somebody in one project; the same e-mail in another is another person here. */
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

/** One line of the book. */
export type Entry = Readonly<z.infer<typeof entrySchema>>;

/** The entry that a line holds; undefined when it is none. */
export function entryIn(line: Json | undefined): Entry | undefined {
  return entrySchema.safeParse(line).data;
}
