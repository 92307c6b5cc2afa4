import { callKeyOf } from '../core/call-key.ts';
import { NOTE_PERSON, type SubjectFacts } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import type { Call, PlannedWork } from '../core/operation.ts';
import type { RowNumber } from '../core/row.ts';
import { type Batch, credits, type Ledger } from '../ledger/ledger.ts';
import { plannedPages } from '../ledger/rows.ts';
import { crashPoint } from '../lib/faults.ts';

/**
 * Notes in the ledger what a list says of people, without a request: each as a change whose answer was lost and then told by a
 * person. After a crash in between it is in doubt, and the same command goes on with it.
 */

const WHY = 'nothing was sent: a list says that they are there already';
const TOGETHER = 100;

export async function noteLearned(ledger: Ledger, batch: Batch, atMs: number): Promise<void> {
  for await (const page of plannedPages(ledger, batch.id)) {
    const notes = page.flatMap((planned) => {
      const isOver = planned.kind === 'end' && planned.outcome.kind !== 'unchanged';
      const work = planned.work as unknown as PlannedWork | undefined;
      return isOver || work?.learns === undefined
        ? []
        : [{ call: noteOf(work, work.learns), row: planned.row }];
    });
    for (let at = 0; at < notes.length; at += TOGETHER)
      await Promise.all(
        notes.slice(at, at + TOGETHER).map(({ call, row }) => notePerson(ledger, batch, row, call, atMs)),
      );
  }
}

/** @param leaves how the person stands by the list. */
function noteOf(work: PlannedWork, leaves: SubjectFacts): Call {
  const { subject, was } = work as PlannedWork & { readonly was?: { readonly sequence: number } };
  const { state, role, userId } = leaves;
  return {
    operation: NOTE_PERSON,
    parameters: present({ state, role, user_id: userId }),
    ifLost: 'hold',
    ...present({ project: subject.project }),
    after: was?.sequence ?? 0,
    change: { subject, leaves },
  };
}

async function notePerson(
  ledger: Ledger,
  { id: batch, accountIdentity }: Pick<Batch, 'id' | 'accountIdentity'>,
  row: RowNumber,
  call: Call,
  atMs: number,
): Promise<void> {
  const key = callKeyOf(accountIdentity, call);
  const [state] = await ledger.find([key]);
  if (state?.kind === 'answered') return;
  if (state?.kind !== 'in_doubt') {
    const reserve = credits(0);
    const admission = await ledger.intent({ key, call, batch, row, atMs, reserve, accountIdentity });
    // Another list has changed the person since: it knows better.
    if (admission.kind !== 'admitted') return;
    crashPoint('after-intent');
    await ledger.end(admission.attempt, { kind: 'in_doubt', why: WHY }, atMs);
  }
  const told = { status: 200, headers: {}, body: Buffer.from('{"noted":true}'), receivedAtMs: atMs };
  const decision = { key, batch, kind: 'told', by: 'person', why: WHY, atMs } as const;
  await ledger.decide(decision, { told, left: call.change?.leaves });
}
