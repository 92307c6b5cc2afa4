import { z } from 'zod';
import { ROLES } from '../../core/membership.ts';
import { type JsonObject, PLANNED_ACTIONS } from '../../core/operation.ts';
import { PERSON_ACTIONS, plannedAs } from './change-action.ts';

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
  action: z.enum(PLANNED_ACTIONS).exactOptional(),
  /** Says the action of a plan that was kept before plans had the word. */
  course: z.object({ kind: z.enum(PERSON_ACTIONS) }).exactOptional(),
  from: z.string().exactOptional(),
  email: z.string().exactOptional(),
  project: z.string().exactOptional(),
  /** What was known of the subject. */
  was: z.object({ sequence: z.int(), facts: facts.exactOptional() }).exactOptional(),
});

/** `parts`: of a row that is about several subjects, each of them. */
const plannedWork = part.extend({ parts: z.array(part).exactOptional() });

type KeptPart = Omit<z.infer<typeof part>, 'course'>;

export interface KeptWork extends KeptPart {
  readonly parts?: readonly KeptPart[];
}

export function keptWork(work: JsonObject): KeptWork {
  const { parts, ...whole } = plannedWork.parse(work);
  if (parts !== undefined) return { ...withoutCourse(whole), parts: parts.map(withAction) };
  return withAction(whole);
}

function withAction(kept: z.infer<typeof part>): KeptPart {
  return { ...(kept.course === undefined ? {} : plannedAs(kept.course)), ...withoutCourse(kept) };
}

function withoutCourse({ course: _, ...kept }: z.infer<typeof part>): KeptPart {
  return kept;
}
