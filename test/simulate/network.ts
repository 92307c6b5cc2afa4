/**
 * The way to a vendor and back. It delays what goes and what comes, and cuts it: before it arrives, before the answer, or within it. What
 * arrives is acted on, whoever is still there to hear the answer.
 */
import type { Schedule } from './schedule.ts';

export interface Question {
  readonly origin: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The vendor sends no end of it. */
  readonly isEndless?: boolean;
}

/** What happens to one exchange. */
export interface Way {
  /** No connection is made, for that reason. */
  readonly unmade?: 'refused' | 'unresolved' | 'certificate';
  readonly outMs: number;
  readonly backMs: number;
  readonly cut?: 'going' | 'answer' | 'body';
}

export interface Network {
  readonly schedule: Schedule;
  /** The next exchange is drawn, by its number. */
  way(question: Question): Way;
  /** The vendor acts, and writes into its book. */
  arrive(question: Question): Answer;
  /** A request leaves the process. */
  left(question: Question): void;
}
