import { z } from 'zod';
import { STOP_CODES, type StopCode } from '../core/errors.ts';

const CODES = Object.keys(STOP_CODES) as [StopCode, ...StopCode[]];

export const StopChoice = z.object({ flag: z.string(), value: z.string(), says: z.string() });

/** Why a command ended before its work was done: the fact, then what to do. */
export const StopObject = z.object({
  /** A code of docs/errors.md; `bug` for an error of ours. */
  code: z.enum([...CODES, 'bug']),
  message: z.string(),
  next: z.string(),
  /** When going on makes sense, ISO 8601 in UTC; only for pauses. */
  resume_at: z.string().nullable(),
  /** What is typed next: the last line on stderr. */
  next_command: z.string().optional(),
  /** What a button says that leads on. */
  button: z.string().optional(),
  /** The id of the plan as it is now, where it has moved or a person has to agree to it. */
  plan: z.string().optional(),
  /** What a person may answer: `yes`, or a word that `--accept` takes. */
  answers: z.array(z.string()).optional(),
  /** Flags, one of which makes the same command go on. */
  choices: z.array(StopChoice).optional(),
});

export type StopObject = z.output<typeof StopObject>;

/** What any command prints in the place of its own object when it was stopped. */
export const StoppedObject = z.object({
  stopped: StopObject,
  /** A budget that is enough for all that waits; only where one is reached or missing. */
  budget_to_finish: z.number().optional(),
});
