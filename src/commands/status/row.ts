import type { z } from 'zod';
import { isoTime } from '../../core/clock.ts';
import { subjectWords } from '../../core/membership.ts';
import type { Call, JsonObject } from '../../core/operation.ts';
import { atMost, counted, linesOf } from '../../core/plain-text.ts';
import type { AttemptRecord, Credits, Ended } from '../../ledger/ledger.ts';
import { RowObject } from '../../objects/row-object.ts';
import { keptWork } from '../../operations/team/change-action.ts';
import type { AttemptStory, RowStory } from '../../run/tasks/row-story.ts';
import type { Report } from '../shared/command.ts';
import { callWords, decisionWords, lookWords } from '../shared/doubts.ts';
import { ruleName } from '../shared/rule.ts';

export function rowReport(story: RowStory): Report<z.output<typeof RowObject>> {
  const { row, outcome, planned, attempts, fields } = story;
  const reason = outcome?.reason;
  return {
    lines: linesOf(
      `Row ${row}: ${outcome?.kind ?? 'pending'}${reason === undefined ? '' : `, ${reason}`}`,
      planned && `  ${plannedWords(planned)}`,
      attempts.flatMap(attemptLines),
      fields.length > 0 && `  fields for add: ${fields.join(', ')}`,
    ),
    object: RowObject.of(story),
  };
}

// ---------------------------------------------------------------------------------------------------- for a person

/** `planned: jo@x.com in Sales, viewer → editor`, as it was when the batch began. */
function plannedWords(work: JsonObject): string {
  const { subject, email, project, from, to } = keptWork(work);
  const whom = subjectWords({
    name: email ?? subject.name,
    ...(subject.project === undefined && project === undefined
      ? {}
      : { project: project ?? subject.project ?? '' }),
  });
  return `planned: ${whom}, ${from === undefined ? to : `${from} → ${to}`}`;
}

function attemptLines(story: AttemptStory): readonly string[] {
  const { record } = story;
  const { attempt, batch, call, reserved, sentAtMs, closure } = record;
  return [
    `  ${isoTime(sentAtMs)}  attempt ${attempt} of batch ${batch}: ${askedWords(call, reserved)}`,
    ...[
      ...reasonLines(record),
      ...replyLines(story),
      closure === undefined ? 'still open' : closureWords(closure, story),
      ...(story.rule === undefined ? [] : [`read as ${story.rule.means} by ${ruleName(story.rule)}`]),
      ...afterwardsLines(story),
    ].map((line) => `    ${line}`),
  ];
}

function askedWords(call: Call, reserved: Credits): string {
  if (call.change === undefined) return `${call.operation}, ${callWords(call)}; ${reserved} reserved`;
  const money = reserved === 0 ? '' : `; ${reserved} reserved`;
  return `${callWords(call)}; change ${(call.after ?? 0) + 1} of it${money}`;
}

function reasonLines({ decision, replaces, request }: AttemptRecord): readonly string[] {
  return linesOf(
    replaces !== undefined && `bought again, in place of the answer of attempt ${replaces}`,
    decision && decision.kind !== 'told' && `sent again: ${decision.why}`,
    request && `under idempotency key ${request.idempotencyKey}`,
  );
}

function afterwardsLines({ record, decided }: AttemptStory): readonly string[] {
  const { decision, looks, released } = record;
  return linesOf(
    looks.map((look) => `the vendor was ${lookWords(look)}`),
    released && `its credits were freed at ${isoTime(released.atMs)}: ${released.why}`,
    decided && decisionWords(decided),
    decision?.kind === 'told' && `answered at ${isoTime(decision.atMs)}: ${decision.why}`,
  );
}

function replyLines({ record: { reply }, requestId }: AttemptStory): readonly string[] {
  if (reply === undefined) return [];
  const id = requestId === undefined ? '' : `, request id ${requestId}`;
  return [`status ${reply.status}${id}: ${reply.body.toString('utf8')}`];
}

function closureWords(closure: Ended & { readonly closedAtMs: number }, { isExact }: AttemptStory): string {
  const ended =
    closure.kind === 'answered'
      ? `${closure.answer}, ${atMost(closure.charged, !isExact, counted(closure.charged, 'credit'))}`
      : closure.kind;
  return `${ended} at ${isoTime(closure.closedAtMs)} (${closure.why})`;
}
