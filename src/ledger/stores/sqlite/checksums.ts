import { crc32 } from 'node:zlib';

/**
 * The checksum of a row of money: CRC-32 over its values as a JSON list, then over the body's bytes. It detects flipped
 * bits and torn pages, which SQLite itself does not notice inside a cell; it does not stop an attacker. The lists are
 * part of the stored format: if one changes, every older store looks damaged.
 */
export type Value = string | number | null;

const checksum = (values: readonly Value[], body?: Buffer): number =>
  checksumOfText(JSON.stringify(values), body ?? null);

/** The checksum of a list that is JSON text already, followed by the body. */
export function checksumOfText(list: string, body: Buffer | null): number {
  const head = crc32(list);
  return body === null ? head : crc32(body, head);
}

export interface CallRow {
  readonly id: number;
  readonly key: Buffer;
  readonly account: number;
  readonly call: string;
}

export const callChecksum = (row: CallRow): number =>
  checksum([row.id, row.key.toString('hex'), row.account, row.call]);

export interface AttemptRow {
  readonly id: number;
  readonly batch: number;
  readonly row: number;
  readonly reserved: number;
  readonly intent_at: number;
  readonly decision: number | null;
  readonly replaces: number | null;
  /** Both are NULL in an attempt that was made before schema 4, whose checksum omits them. */
  readonly boot: number | null;
  readonly uptime: number | null;
}

/** The checksum covers the call's key and not its number, so that no other call's answer can pass for this one's. */
export const attemptChecksum = (row: AttemptRow, key: Buffer): number =>
  checksum([
    row.id,
    key.toString('hex'),
    row.batch,
    row.row,
    row.reserved,
    row.intent_at,
    row.decision,
    row.replaces,
    ...(row.boot === null ? [] : [row.boot, row.uptime]),
  ]);

export interface BootRow {
  readonly id: number;
  readonly boot: string;
  readonly seen_at: number;
  readonly seen_uptime: number;
  readonly confirmed_at: number | null;
  readonly confirmed_uptime: number | null;
}

export const bootChecksum = (row: BootRow): number =>
  checksum([row.id, row.boot, row.seen_at, row.seen_uptime, row.confirmed_at, row.confirmed_uptime]);

export interface ReplyRow {
  readonly attempt: number;
  readonly status: number;
  readonly headers: string;
  readonly received_at: number;
  readonly body: Buffer;
}

export const replyChecksum = (row: ReplyRow): number =>
  checksum([row.attempt, row.status, row.headers, row.received_at], row.body);

export interface ClosureRow {
  readonly attempt: number;
  readonly kind: string;
  readonly answer: string | null;
  readonly charged: number;
  readonly why: string;
  readonly closed_at: number;
  /** NULL when this is no answer, or was settled before schema 5, whose checksums omit it. */
  readonly dialect: number | null;
}

export const closureChecksum = (row: ClosureRow): number =>
  checksum([
    row.attempt,
    row.kind,
    row.answer,
    row.charged,
    row.why,
    row.closed_at,
    ...(row.dialect === null ? [] : [row.dialect]),
  ]);

export interface ReadingRow {
  readonly id: number;
  readonly attempt: number;
  readonly answer: string;
  readonly charged: number;
  readonly why: string;
  readonly dialect: number;
  readonly at: number;
}

export const readingChecksum = (row: ReadingRow): number =>
  checksum([row.id, row.attempt, row.answer, row.charged, row.why, row.dialect, row.at]);

export interface PriceRow {
  readonly account: number;
  readonly operation: string;
  readonly credits_max: number;
  readonly highest: number;
}

export const priceChecksum = (row: PriceRow): number =>
  checksum([row.account, row.operation, row.credits_max, row.highest]);

export interface AgreementRow {
  readonly sha256: string;
  readonly shown: string;
  readonly agreed_at: number;
}

export const agreementChecksum = (row: AgreementRow): number =>
  checksum([row.sha256, row.shown, row.agreed_at]);

export interface DecisionRow {
  readonly id: number;
  readonly call: number;
  readonly doubt: number;
  readonly batch: number;
  readonly kind: string;
  readonly decided_by: string;
  readonly why: string;
  readonly at: number;
}

export const decisionChecksum = (row: DecisionRow): number =>
  checksum([row.id, row.call, row.doubt, row.batch, row.kind, row.decided_by, row.why, row.at]);

export interface ToldRow extends ReplyRow {
  readonly decision: number;
  readonly charged: number;
}

export const toldChecksum = (row: ToldRow): number =>
  checksum([row.attempt, row.decision, row.charged, row.status, row.headers, row.received_at], row.body);

export interface RequestRow {
  readonly attempt: number;
  readonly idempotency_key: string;
  readonly method: string;
  readonly path: string;
  readonly first_sent_at: number;
  readonly body: Buffer | null;
}

export const requestChecksum = (row: RequestRow): number =>
  checksum(
    [row.attempt, row.idempotency_key, row.method, row.path, row.first_sent_at],
    row.body ?? undefined,
  );

export interface LookRow {
  readonly id: number;
  readonly attempt: number;
  readonly kind: string;
  readonly said: string;
  readonly why: string;
  readonly status: number;
  readonly at: number;
  readonly body: Buffer;
}

export const lookChecksum = (row: LookRow): number =>
  checksum([row.id, row.attempt, row.kind, row.said, row.why, row.status, row.at], row.body);

export interface ReleaseRow {
  readonly attempt: number;
  readonly why: string;
  readonly at: number;
}

export const releaseChecksum = (row: ReleaseRow): number => checksum([row.attempt, row.why, row.at]);

export interface SubjectRow {
  readonly id: number;
  readonly account: number;
  readonly project: string;
  readonly name: string;
}

/** The checksum omits the sequence, which grows: the entries of `changes` add up to that. */
export const subjectChecksum = (row: SubjectRow): number =>
  checksum([row.id, row.account, row.project, row.name]);

export interface ErasureRow {
  readonly id: number;
  readonly kind: string;
  readonly at: number;
  readonly key_check: string | null;
  /** The files as JSON. */
  readonly files: string;
}

/** The checksum omits whether the erasure has ended, which changes once. */
export const erasureChecksum = (row: ErasureRow): number =>
  checksum([row.id, row.kind, row.at, row.key_check, row.files]);

export interface FactsRow {
  readonly state: string | null;
  readonly role: string | null;
  readonly email: string | null;
  readonly invite_code: string | null;
  readonly user_id: string | null;
  readonly project_id: string | null;
}

export interface ChangeRow extends FactsRow {
  readonly attempt: number;
  readonly subject: number;
  readonly sequence: number;
}

export const changeChecksum = (row: ChangeRow): number =>
  checksum([
    row.attempt,
    row.subject,
    row.sequence,
    row.state,
    row.role,
    row.email,
    row.invite_code,
    row.user_id,
    row.project_id,
  ]);

export interface PlannedCells {
  readonly batch: number;
  readonly row: number;
  /** The planned row as JSON. */
  readonly planned: string;
}

export const plannedChecksum = (row: PlannedCells): number => checksum([row.batch, row.row, row.planned]);

export interface OutcomeRow {
  readonly batch: number;
  readonly row: number;
  readonly kind: string;
  readonly matched_by: string | null;
  readonly reason: string | null;
  /** The answers as JSON. */
  readonly answers: string;
  readonly input: number | null;
  /** NULL when none of its answers had a reading; the checksum omits it then. */
  readonly read_to: number | null;
}

export const outcomeChecksum = (row: OutcomeRow): number =>
  checksum([
    row.batch,
    row.row,
    row.kind,
    row.matched_by,
    row.reason,
    row.answers,
    row.input,
    ...(row.read_to === null ? [] : [row.read_to]),
  ]);

export interface MarkRow {
  readonly batch: number;
  readonly row: number;
  readonly byte_offset: number;
  readonly lines: number;
}

export const markChecksum = (row: MarkRow): number =>
  checksum([row.batch, row.row, row.byte_offset, row.lines]);

/** The checksum of a row whose table may get new columns: it covers their names as well. */
export const cellsChecksum = (cells: readonly (readonly [name: string, value: Value])[]): number =>
  checksum(cells.flat());
