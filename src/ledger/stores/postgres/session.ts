import type { Clock } from '../../../core/clock.ts';
import type { AttemptId } from '../../ledger.ts';
import type { SentRequest } from '../../outside-notes.ts';
import type { Database } from './connection.ts';

export interface Session {
  readonly database: Database;
  /** Absent for a reader, which writes nothing. */
  readonly clock: Clock | undefined;
  /** The number of this worker; 0 for a reader. */
  readonly worker: number;
  readonly command: string;
  /** Who is at work; undefined when nobody is noted. */
  readonly operator: string | undefined;
  /** Whether nobody else is admitted anything meanwhile. */
  readonly isAlone: boolean;
  /** Attempts that this process has under way, and those of others that it was given to end. */
  readonly own: Set<AttemptId>;
  readonly given: Set<AttemptId>;
  /** The newest attempt that this process has seen in the ledger, its own or another's. Where it is missing, commits were lost. */
  seen: SentRequest | undefined;
  /** The name of the ledger when it was last seen to be whole; undefined before that. */
  identity: string | undefined;
  /** The key that finds calls of forgotten people; undefined when nobody was forgotten. */
  readonly secret: Buffer | undefined;
  /** What a part has to end before the connections are closed: writes that were asked for. */
  readonly ending: (() => Promise<void>)[];
}

export const keyBytes = (key: string): Buffer => Buffer.from(key, 'hex');

/** Times in the tables are whole milliseconds; a clock may give fractions. */
export const wholeMs = (ms: number): number => Math.floor(ms);

/** JSON keeps what a text of PostgreSQL cannot hold, such as a zero byte. */
export const json = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** What is null in a table is absent in a record. */
export function present<Value extends object>(
  value: Value,
): { [Name in keyof Value]?: NonNullable<Value[Name]> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, each]) => each !== null && each !== undefined),
  ) as never;
}
