import { z } from 'zod';
import { ROLES } from '../../core/membership.ts';
import type { JsonObject } from '../../core/operation.ts';

/** The work of a planned row as the ledger kept it: read back through zod, because a ledger outlives its program. */

const facts = z.object({
  state: z.enum(['invited', 'member', 'between', 'gone', 'unsure', 'done']),
  role: z.enum(ROLES).exactOptional(),
  email: z.string().exactOptional(),
  inviteCode: z.string().exactOptional(),
  userId: z.string().exactOptional(),
  projectId: z.string().exactOptional(),
});

const part = z.object({
  subject: z.object({ project: z.string().exactOptional(), name: z.string() }),
  to: z.string(),
  from: z.string().exactOptional(),
  email: z.string().exactOptional(),
  project: z.string().exactOptional(),
  /** What was known of the subject. */
  was: z.object({ sequence: z.int(), facts: facts.exactOptional() }).exactOptional(),
});

/** `parts`: of a row that is about several subjects, each of them. */
const plannedWork = part.extend({ parts: z.array(part).exactOptional() });

export type KeptWork = z.infer<typeof plannedWork>;

export function keptWork(work: JsonObject): KeptWork {
  return plannedWork.parse(work);
}
