import type { JsonObject } from '../core/operation.ts';
import type { Decision, Doubt } from './call-records.ts';
import type { Sql } from './db.ts';
import type { Batch, BatchId } from './records.ts';
import { hasAccounts, hasSteps } from './schema.ts';

/**
 * What the ledger knows of a list, which is a file at one path, whatever it has held. It knows the starts in
 * their order, each with its content, and what a person has decided about the calls. Page, `status`, `export`
 * and the report look here, so that all of them mean the same start.
 */

/** A list, with what was started over it. */
export interface StartedList {
  /** The one that was begun, or gone on with, last comes first. */
  readonly starts: readonly Batch[];
  /** What took changes of these starts back, the newest first. */
  readonly undos: readonly Batch[];
}

/** The batch with changes that this undo takes back; undefined for a batch that is no undo. */
export const undoneBy = ({ undoes }: JsonObject): string | undefined =>
  typeof undoes === 'string' && /^[0-9a-f]{8}$/.test(undoes) ? undoes : undefined;

/** When a batch was begun, or gone on with last. A store of an earlier build knows only when it was begun. */
export const startedMs = ({ startedAtMs, createdAtMs }: Batch): number => startedAtMs ?? createdAtMs;

/** The one that was started last comes first. Those of one time stay in their order. */
export const lastFirst = (one: Batch, other: Batch): number => startedMs(other) - startedMs(one);

/**
 * @returns the lists by their paths. An undo has a list of ours, and belongs to the list of what it undoes.
 */
export function listsOf(batches: readonly Batch[]): ReadonlyMap<string, StartedList> {
  const byId = new Map<string, Batch>(batches.map((batch) => [batch.id, batch]));
  const groups = Map.groupBy(batches.toSorted(lastFirst), (batch) => listOf(batch, byId));
  return new Map(
    [...groups].map(([path, all]) => {
      const isUndo = ({ settings }: Batch): boolean => undoneBy(settings) !== undefined;
      return [path, { starts: all.filter((each) => !isUndo(each)), undos: all.filter(isUndo) }];
    }),
  );
}

/** The path of the list of a batch. */
export function listOf({ settings, inputPath }: Batch, byId: ReadonlyMap<string, Batch>): string {
  const undone = byId.get(undoneBy(settings) ?? '');
  return undone === undefined ? inputPath : listOf(undone, byId);
}

/**
 * The start of a list that has read this content, the last one where several have. One that was ended because
 * the list had changed does not stand for the content: the next start begins another.
 */
export const startOver = ({ starts }: StartedList, sha256: string): Batch | undefined =>
  starts.find(({ inputSha256, state }) => inputSha256 === sha256 && state !== 'superseded');

// ---------------------------------------------------------------------------------------------- decisions

const BY_PATH = `SELECT id FROM batches WHERE {said facts inputPath} = CAST(? AS TEXT)`;
const BY_BATCH = `SELECT bat_other.id FROM batches bat JOIN batches bat_other
  ON {said bat_other.facts inputPath} = {said bat.facts inputPath} WHERE bat.id = ?`;

/** The decisions that count: those of a batch and of its list, or those of the list at a path. */
export interface Deciding {
  readonly batch?: BatchId | undefined;
  readonly list?: string | undefined;
}

/** @returns what finds the decision about a doubt that stands for the batch or the list. */
export async function decisionsFor(sql: Pick<Sql, 'rows'>, { batch, list }: Deciding) {
  const [query, of] = batch === undefined ? [BY_PATH, list] : [BY_BATCH, batch];
  const rows = of === undefined ? [] : await sql.rows<{ id: BatchId }>(query, [of]);
  const alike = new Set(rows.map(({ id }) => id));
  return ({ decisions }: Pick<Doubt, 'decisions'>): Decision | undefined =>
    // rule 10d
    decisions.findLast((each) => each.batch === batch || (alike.has(each.batch) && isLeavingOut(each)));
}

/**
 * The other starts of its list in which a row ends with the only call that is asked for it. Where several
 * steps or accounts are asked, the next run goes on with the row.
 */
export async function startsBeside(sql: Pick<Sql, 'rows'>, batch: BatchId): Promise<readonly BatchId[]> {
  const isOfOne = `NOT (${hasSteps('bat_other')} OR ${hasAccounts('bat_other')})`;
  const found = await sql.rows<{ id: BatchId }>(
    `${BY_BATCH} AND bat_other.id <> bat.id
    AND ${isOfOne}`,
    [batch],
  );
  return found.map(({ id }) => id);
}

/**
 * A call that a person leaves out is left out of each start of the list. To send one again is paid by the
 * batch that does, and what a job says is for its own batch.
 */
const isLeavingOut = ({ kind, by }: Decision): boolean => kind === 'skip' && by === 'person';
