import { systemClock } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { Call, PlannedWork } from '../../core/operation.ts';
import type { Outcome, RowNumber } from '../../core/row.ts';
import { openMappedInput } from '../../files/input.ts';
import { jobSettings } from '../../job/job-settings.ts';
import type { Batch, BatchId, FinishedRow, Ledger, PlannedRow } from '../../ledger/ledger.ts';
import { AccountTime } from '../../ledger/time.ts';
import { batchPlaceOf } from '../../plan/batch-key.ts';
import type { JobOptions, OpeningOptions } from '../../plan/context.ts';
import type { ResolvedJob } from '../../plan/row-walk.ts';
import { planChanges } from '../../plan/team/change-plan.ts';
import { choose } from '../choose.ts';
import { learntBy, noteOf, notePerson } from '../noted-people.ts';
import { openLedger, requireTaken } from '../open-ledger.ts';
import { Sessions } from '../sessions.ts';
import { chooseStore } from '../store-choice.ts';

/**
 * Notes in the ledger who is in a team already, on a person's word, so that no list invites them again. Nothing is sent. Each is
 * known from then on as after an invite of ours. After a crash the same command goes on.
 */

interface AdoptOptions
  extends Pick<JobOptions, 'job' | 'file' | 'account' | 'entries' | 'read' | 'store'>,
    Pick<OpeningOptions, 'operator' | 'tell'> {
  readonly note?: (message: string) => void;
}

export interface Adopted {
  readonly batch: BatchId;
  readonly rows: number;
  /** People who are known from now on. One in two projects counts twice. */
  readonly adopted: number;
  /** Rows that were known to be so before. */
  readonly known: number;
  /** Rows that say what cannot be kept, and why. */
  readonly left: readonly { readonly row: RowNumber; readonly reason: string }[];
}

/** @throws StopError `usage` for a job that is about no team; else like a run. */
export async function adoptTeam(options: AdoptOptions): Promise<Adopted> {
  const chosen = await choose(options);
  const { name, inputs, change } = chosen.job.operation;
  if (change?.isState !== true || !inputs.some((input) => input.name === 'email'))
    throw stop(
      'usage',
      `${name} does not work on a team, so there is none to adopt.`,
      'Name onboard, or a job of it.',
    );
  const store = chooseStore(options.store, chosen.account.sandbox);
  await requireTaken(store.location, name, true);
  const { operator, tell } = options;
  const opening = { clock: systemClock, waitForLockMs: 0, operator, tell };
  const ledger = await openLedger(store, { ...opening, mayCreate: true, command: `adopt ${options.file}` });
  try {
    await new Sessions().closeLeftOpen({ ...chosen, ledger, clock: systemClock });
    const job = { ...chosen.job, origin: { kind: 'adoption' } as const };
    return await new Adoption(ledger, { ...chosen, job }, options).kept();
  } finally {
    await ledger.close();
  }
}

class Adoption {
  readonly #ledger: Ledger;
  readonly #chosen: ResolvedJob;
  readonly #options: AdoptOptions;

  constructor(ledger: Ledger, chosen: ResolvedJob, options: AdoptOptions) {
    this.#ledger = ledger;
    this.#chosen = chosen;
    this.#options = options;
  }

  async kept(): Promise<Adopted> {
    const { identity } = this.#chosen.account;
    const nowMs = (await AccountTime.of(systemClock, this.#ledger, identity)).wallMs();
    const { batch, planned } = await this.#begun(nowMs);
    const [rows, left]: [FinishedRow[], { row: RowNumber; reason: string }[]] = [[], []];
    let [adopted, known] = [0, 0];
    for (const each of planned) {
      const { outcome, kept } = await this.#keep(batch, each, nowMs);
      adopted += kept;
      if (outcome.kind !== 'unchanged') left.push({ row: each.row, reason: outcome.reason ?? '' });
      else if (kept === 0) known += 1;
      rows.push({ batch: batch.id, row: each.row, outcome, answers: [], input: each.input });
    }
    await this.#ledger.finishRows(rows);
    await this.#ledger.changeBatch(batch.id, { state: 'finished' });
    return { batch: batch.id, rows: planned.length, adopted, known, left };
  }

  async #begun(nowMs: number): Promise<{ readonly batch: Batch; readonly planned: readonly PlannedRow[] }> {
    const { job, account } = this.#chosen;
    const input = await openMappedInput(this.#options.file, job, this.#ledger);
    for (const note of input.sheet.notes) this.#options.note?.(note);
    const { planned, rows } = await planChanges({ ...this.#chosen, ledger: this.#ledger }, input);
    const { key, lineage } = await batchPlaceOf({ ...this.#chosen, ledger: this.#ledger }, input);
    const settings = jobSettings(job, input.columns.columns, {
      ...{ layout: input.sheet.layout, country: input.columns.country, isOfOther: false },
      ...{ requestsPerSecond: undefined, answerPlace: {}, outputName: undefined, outputPath: undefined },
    });
    const { batch } = await this.#ledger.beginBatch(
      {
        ...{ key, lineage, settings, createdAtMs: nowMs, inputPath: input.path, inputRows: rows },
        ...{ accountIdentity: account.identity, accountName: account.name, sandbox: account.sandbox },
        ...{ vendor: account.vendor, operation: job.operation.name, inputSha256: input.survey.sha256 },
      },
      true,
    );
    // What the list says beyond its rows is of no meaning here: nobody is removed by an adoption.
    return { batch, planned: planned.slice(0, rows) };
  }

  async #keep(
    batch: Batch,
    planned: PlannedRow,
    atMs: number,
  ): Promise<{ readonly outcome: Outcome; readonly kept: number }> {
    const learnt = learntBy(planned);
    if (planned.kind === 'end' && learnt.length === 0) return { outcome: planned.outcome, kept: 0 };
    const work = planned.work as unknown as PlannedWork;
    const refused = refusalOf(work);
    if (refused !== undefined) return { outcome: { kind: 'refused', reason: refused }, kept: 0 };
    const calls = [...learnt, ...(this.#noteOf(work) ?? [])];
    for (const call of calls) await notePerson(this.#ledger, batch, planned.row, call, atMs);
    return { outcome: { kind: 'unchanged', reason: REASON }, kept: calls.length };
  }

  /** How the first request would leave the person; undefined where they are known to be there so. */
  #noteOf(work: PlannedWork): readonly Call[] | undefined {
    const step = this.#chosen.job.operation.next(work, () => undefined);
    const leaves = step.kind === 'send' ? step.call.change?.leaves : undefined;
    return leaves && [noteOf(work, leaves)];
  }
}

const REASON = 'is there already, says the list; nothing was sent';

/** Why nothing can be kept of a person; undefined where something can, or is known. */
function refusalOf({ action, from, subject, project, email }: PlannedWork): string | undefined {
  if (action === undefined) return undefined;
  const who = email ?? subject.name;
  if (subject.project === undefined)
    return `the project ${project} is not known. Give its id in project_id, or under projects in the job`;
  if (action === 'invite' || (action === 'change_role' && from === undefined)) return undefined;
  return `${who} is known as ${from ?? 'another'} in ${project}. Run the list to change that, or correct the row`;
}
