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
  /** The time from which going on makes sense, ISO 8601 in UTC; only for pauses. */
  resume_at: z.string().nullable(),
  /** The name of the account that was stopped, where a list has several. */
  account: z.string().optional(),
  /** The next command to type: the last line on stderr. */
  next_command: z.string().optional(),
  /** The id of the plan as it is now, where it has moved or a person has to agree to it. */
  plan: z.string().optional(),
  /** The possible answers of a person: `yes`, or a word that `--accept` takes. */
  answers: z.array(z.string()).optional(),
  /** Flags, one of which makes the same command go on. */
  choices: z.array(StopChoice).optional(),
});

export type StopObject = z.output<typeof StopObject>;

/** The output of any stopped command, in the place of its own object. */
export const StoppedObject = z.object({
  stopped: StopObject,
  /** A budget that is enough for everything that waits; only where a budget is reached or missing. */
  budget_to_finish: z.number().optional(),
});
