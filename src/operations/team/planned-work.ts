import { z } from 'zod';
import { ROLES, type Subject, subjectOfProject } from '../../core/membership.ts';
import { present } from '../../core/objects.ts';
import { type JsonObject, PLANNED_ACTIONS } from '../../core/operation.ts';
import { PERSON_ACTIONS } from './change-action.ts';

/** The work of a planned row as the ledger kept it: read back through zod, because a ledger outlives its program. */

const facts = z.object({
  state: z.enum(['invited', 'member', 'between', 'gone', 'unsure', 'done']),
  role: z.enum(ROLES).exactOptional(),
  email: z.string().exactOptional(),
  inviteCode: z.string().exactOptional(),
  userId: z.string().exactOptional(),
  projectId: z.string().exactOptional(),
});

const subject = z.object({ project: z.string().exactOptional(), name: z.string() });

const part = z.object({
  subject,
  to: z.string(),
  action: z.enum(PLANNED_ACTIONS).exactOptional(),
  course: z.object({ kind: z.enum(PERSON_ACTIONS) }).exactOptional(),
  makes: z
    .object({ project: z.object({ name: z.string() }), subject: subject.exactOptional() })
    .exactOptional(),
  from: z.string().exactOptional(),
  email: z.string().exactOptional(),
  project: z.string().exactOptional(),
  was: z.object({ sequence: z.int(), facts: facts.exactOptional() }).exactOptional(),
  learns: facts.exactOptional(),
});

/** `parts`: of a row that is about several subjects, each of them. */
const plannedWork = part.extend({
  parts: z.array(part).exactOptional(),
  refusedBefore: z.string().exactOptional(),
});

export type KeptPart = Omit<z.infer<typeof part>, 'course' | 'makes'> & {
  readonly makesProject?: Subject;
  /** Nothing is sent, because it cannot be done. */
  readonly isRefused?: true;
};

export type KeptWork = KeptPart & {
  readonly parts?: readonly KeptPart[];
  readonly refusedBefore?: string;
};

export function keptWork(work: JsonObject): KeptWork {
  const { parts, refusedBefore, ...whole } = plannedWork.parse(work);
  const noted = present({ refusedBefore });
  if (parts === undefined) return { ...keptPart(whole), ...noted };
  const { action: _, isRefused: __, makesProject: ___, ...shared } = keptPart(whole);
  return { ...shared, ...noted, parts: parts.map(keptPart) };
}

function keptPart({ course, makes, ...kept }: z.infer<typeof part>): KeptPart {
  return {
    ...kept,
    ...(course?.kind === 'refuse' ? { isRefused: true } : {}),
    ...(makes === undefined ? {} : { makesProject: projectOf(makes) }),
  };
}

function projectOf({ project, subject }: NonNullable<z.infer<typeof part>['makes']>): Subject {
  return subject ?? { name: subjectOfProject(project.name) };
}

export function subjectsOf({ parts, ...work }: KeptWork): readonly Subject[] {
  return (parts ?? [work]).flatMap(({ subject, makesProject = [] }) => [subject].concat(makesProject));
}
