import {
  type Change,
  type Subject,
  type SubjectDoubt,
  type SubjectFacts,
  Team,
} from '../../../core/membership.ts';
import type { Call } from '../../../core/operation.ts';
import { undoneBy } from '../../../job/job-origin.ts';
import type { Batch, BatchId, LedgerReader, RowAnswer, RowRecord } from '../../../ledger/ledger.ts';
import { commandLine } from '../../../lib/command-line.ts';
import type { KeptWork } from '../../../operations/team/planned-work.ts';
import type { EndedPart } from './parts.ts';

export interface MovedPart extends EndedPart {
  /** A clause for the reason of its row: `since then batch 5716a1b2 deleted the invite`. */
  readonly since: string;
}

/** What other batches have done, or may have done, to a subject since a batch had to do with it. */
export class Since {
  readonly #ledger: LedgerReader;
  readonly #batch: Batch;
  readonly #team: Team;
  readonly #names = new Map<string, string>();

  private constructor(ledger: LedgerReader, batch: Batch, team: Team) {
    this.#ledger = ledger;
    this.#batch = batch;
    this.#team = team;
  }

  static async of(ledger: LedgerReader, batch: Batch): Promise<Since> {
    return new Since(ledger, batch, new Team(await ledger.subjects(batch.accountIdentity)));
  }

  /** Whether a change of what the row is about was settled since it was planned, by whatever batch. */
  hasMoved({ parts, ...work }: KeptWork): boolean {
    const settled = (subject: Subject): number => this.#team.find(subject)?.sequence ?? 0;
    return (parts ?? [work]).some(
      ({ subject, was, makesProject }) =>
        settled(subject) > (was?.sequence ?? 0) || (makesProject !== undefined && settled(makesProject) > 0),
    );
  }

  /** The parts of a row that are not as it left them, or perhaps not. */
  async about(parts: readonly EndedPart[], record: RowRecord): Promise<readonly MovedPart[]> {
    const moved: MovedPart[] = [];
    for (const each of parts) {
      const since = await this.#of(each, record);
      const project = parts.length === 1 ? '' : `${each.part.project}: `;
      if (since !== undefined) moved.push({ ...each, since: project + since });
    }
    return moved;
  }

  async #of({ part, ended, answers }: EndedPart, { outcome }: RowRecord): Promise<string | undefined> {
    if (ended === 'invalid') return undefined;
    // Another batch may have asked for the very same change, and its answer counts for this row as well.
    const changes = answers.flatMap(({ kind, call }) =>
      call.change === undefined ? [] : [{ ...call, ...call.change, kind }],
    );
    const known = this.#team.find(subjectOf(changes) ?? part.subject);
    if (known === undefined) return undefined;
    const doubt = ended === 'in_doubt' || ended === 'skipped' ? undefined : known.doubt;
    // A row that was refused because of that very doubt says so itself.
    const isSaid = doubt !== undefined && outcome.reason?.includes(doubt.batch) === true;
    if (doubt !== undefined && doubt.batch !== this.#batch.id && !isSaid)
      return `${await this.#nameOf(doubt.batch)} ${perhaps(doubt)}`;
    const before = leftBy(changes, part.was?.facts);
    const seen = Math.max(part.was?.sequence ?? 0, ...changes.map(({ after = 0 }) => after + 1));
    const isMoved = known.batch !== undefined && known.batch !== this.#batch.id && known.sequence > seen;
    if (!isMoved || standing(before) === standing(known.facts)) return undefined;
    return `since then ${await this.#nameOf(known.batch)} ${happened(before, known.facts)}`;
  }

  async #nameOf(id: string): Promise<string> {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const batch = await this.#ledger.batch(id as BatchId);
    const name =
      batch !== undefined && undoneBy(batch.settings) !== undefined ? `batch ${id} (an undo)` : `batch ${id}`;
    this.#names.set(id, name);
    return name;
  }
}

/** A change that was settled, as far as it says how it left its subject. */
interface Settled extends Pick<Call, 'project'>, Change {
  readonly kind: RowAnswer['kind'];
}

/** The subject of the row's calls, which is known by another name while its project is only planned. */
function subjectOf(changes: readonly Settled[]): Subject | undefined {
  return changes.findLast(({ project }) => project !== undefined)?.subject;
}

/** How the row left its subject, by the answers to its calls. @param before how it found it. */
function leftBy(changes: readonly Settled[], before: SubjectFacts | undefined): SubjectFacts | undefined {
  return changes.reduce<SubjectFacts | undefined>((facts, { kind, leaves, missing }) => {
    if (kind === 'found') return leaves;
    return kind === 'no_match' ? (missing ?? facts) : facts;
  }, before);
}

/** What of a state the next list looks at. Nobody tells when an invite is accepted, so the role counts in both. */
function standing(facts: SubjectFacts | undefined): string {
  switch (facts?.state) {
    case 'invited':
    case 'member':
      return `in as ${facts.role ?? ''}`;
    case 'gone':
    case 'between':
    case undefined:
      return 'out';
    case 'unsure':
    case 'done':
      return facts.state;
  }
}

function happened(before: SubjectFacts | undefined, now: SubjectFacts | undefined): string {
  const wasIn = standing(before).startsWith('in ');
  switch (now?.state) {
    case 'invited':
      return wasIn ? `set the role to ${now.role}` : `invited the person as ${now.role}`;
    case 'member':
      return wasIn ? `set the role to ${now.role}` : `brought the person in as ${now.role}`;
    case 'between':
      return 'deleted the invite, and did not create it again';
    case 'unsure':
      return 'did not find the invite any more';
    default:
      return before?.state === 'invited' ? 'deleted the invite' : 'removed the person';
  }
}

const MAY_HAVE: Readonly<Record<string, string>> = {
  'create-invite': 'may have invited the person',
  'delete-invite': 'may have deleted the invite',
  'remove-user': 'may have removed the person',
  'update-user': 'may have set another role',
};

function perhaps({ operation, batch, row, isOpen }: SubjectDoubt): string {
  const what = MAY_HAVE[operation] ?? `may have done ${operation}`;
  const why = isOpen === true ? 'the answer has not come yet' : 'the result is in doubt';
  return `${what}: ${why}; settle it with ${commandLine(['settle', batch, String(row)])}`;
}
