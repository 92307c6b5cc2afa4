import { rmSync } from 'node:fs';
import type { Erasable, ErasureTarget, Hit, KnownFile, Person, Where } from '../eraser.ts';
import { type Act, type BatchId, credits } from '../ledger.ts';

/** What was found of a person, or is older than a time, before any of it is erased. */

export interface ErasableRow<Batch = BatchId> {
  readonly batch: Batch;
  readonly row: number;
}

/** Batches are named as the store numbers them. `Cut` is the body of an answer without the person, and where it stands. */
export interface Found<Cut, Batch = BatchId> {
  /** Calls that are erased with everything about them. */
  readonly calls: ReadonlySet<number>;
  /** Attempts of other calls; what was said about these attempts is erased. */
  readonly attempts: ReadonlySet<number>;
  readonly cuts: readonly Cut[];
  readonly rows: readonly ErasableRow<Batch>[];
  readonly subjects: ReadonlySet<number>;
  readonly unsettled: readonly ErasableRow<Batch>[];
  readonly hits: readonly Hit[];
  /** For each call that stays a batch that goes on with it. */
  readonly needed: readonly Batch[];
  readonly batches: ReadonlySet<Batch>;
  /** In how many other places something is named after the person. */
  readonly names: number;
}

/** A call all of whose attempts are old, with the row of the newest one. */
export interface OldCall<Batch = BatchId> extends ErasableRow<Batch> {
  readonly id: number;
  /** SQLite says 0 or 1. */
  readonly unsettled: boolean | 0 | 1;
  /** A batch that would buy it again. */
  readonly needed_by: Batch | null;
}

/** Sorts calls that are old: what is not settled stays, and so does what is needed. */
export function foundOld<Batch>(old: readonly OldCall<Batch>[]): Found<never, Batch> {
  const settled = old.filter(({ unsettled }) => !unsettled);
  return {
    calls: new Set(settled.flatMap(({ id, needed_by }) => (needed_by === null ? [id] : []))),
    needed: settled.flatMap(({ needed_by }) => needed_by ?? []),
    unsettled: old.filter(({ unsettled }) => unsettled),
    ...{ attempts: new Set(), cuts: [], rows: [], subjects: new Set() },
    ...{ hits: [], batches: new Set(), names: 0 },
  };
}

/** Where a person is named. Each cell is noted once for each place, however often somebody comes past it. */
export class Hits {
  readonly #person: Person;
  readonly #hits = new Map<string, Hit>();

  constructor(person: Person) {
    this.#person = person;
  }

  /** @returns 1 where the person is named, as SQL takes it. */
  note(place: string, text: string | Buffer | null, where: Where): 0 | 1 {
    const cells = text === null ? [] : this.#person.cellsIn(text, where);
    for (const cell of cells) this.#hits.set(`${place} ${cell}`, { place, cell });
    return cells.length > 0 ? 1 : 0;
  }

  all(): readonly Hit[] {
    return [...this.#hits.values()];
  }
}

/**
 * What is left of an answer without a person; undefined when it is about them alone. The person whom a change alters was already found
 * by its call; its answer names others beside them.
 */
export function leftOf(
  {
    operation,
    isChange,
    body,
  }: { readonly operation: string; readonly isChange: boolean; readonly body: Buffer },
  person: Person,
): Buffer | undefined {
  if (operation === 'enrich-person') return undefined;
  return person.cutFrom(body, operation === 'enrich-company' || isChange ? 'company' : 'anything');
}

export type ErasureReport = Omit<Erasable, 'requireRoom' | 'erase'>;

/** A content at a path, with the batch whose rows are in it; null where there is none. */
export type HeldFile<Batch> = Omit<KnownFile, 'isAffected'> & { readonly batch: Batch | null };

export interface Beside<Batch> {
  /** The batches in whose rows an answer is from which the person is cut out. */
  readonly cut: readonly Batch[];
  readonly heldCredits: number;
  readonly inputs: Erasable['inputs'];
  readonly written: readonly HeldFile<Batch>[];
  readonly read: readonly HeldFile<Batch>[];
}

/** Lists in which a person stands are affected as well as outputs; what is old is not in them. */
export function reportOf<Batch>(
  found: Found<unknown, Batch>,
  kind: ErasureTarget['kind'],
  beside: Beside<Batch>,
  idOf: (batch: Batch) => BatchId,
): ErasureReport {
  const asked = new Set(found.rows.map(({ batch }) => batch));
  const written = new Set([...asked, ...found.batches, ...beside.cut]);
  const read = kind === 'old' ? new Set<Batch>() : asked;
  return {
    calls: found.calls.size,
    cut: found.attempts.size,
    rows: found.rows.length,
    memberships: found.subjects.size,
    names: found.names,
    unsettled: found.unsettled.map(({ batch, row }) => ({ batch: idOf(batch), row })),
    hits: found.hits,
    needed: { calls: found.needed.length, by: found.needed.map(idOf) },
    written: new Set([...written].map(idOf)),
    heldCredits: credits(beside.heldCredits),
    inputs: beside.inputs,
    files: [...knownFiles(beside.written, written), ...knownFiles(beside.read, read)],
  };
}

const knownFiles = <Batch>(files: readonly HeldFile<Batch>[], affected: ReadonlySet<Batch>) =>
  files.map(({ path, sha256, batch }) => {
    return { path, sha256, isAffected: batch !== null && affected.has(batch) };
  });

/** What stands in place of a planned row that is erased. */
export function erasedPlan(reason: string): string {
  return JSON.stringify({ kind: 'end', outcome: { kind: 'skipped', reason } });
}

export interface Erasing<What> {
  readonly target: ErasureTarget;
  readonly found: What;
  readonly atMs: number;
  /** The key that hides calls about a person; undefined when erased answers may be bought again. */
  readonly secret: Buffer | undefined;
  /** Who ordered it; undefined when nobody is noted. */
  readonly by: Pick<Act, 'operator' | 'atMs'> | undefined;
}

/** The columns of a batch that may name a person. */
export const NAMES_OF_BATCH = ['settings', 'command', 'input_path', 'output_path', 'lineage'] as const;

export function removeFiles(paths: readonly string[]): void {
  for (const path of paths) rmSync(path, { force: true });
}
