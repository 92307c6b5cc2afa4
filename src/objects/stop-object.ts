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
  /** What is typed to go on: the last line on stderr. Left out where the command would stop again. */
  command: z.string().optional(),
  /** The id of the plan as it is now; only where it has moved, or where a person is to agree to just that plan. */
  plan: z.string().optional(),
  /** What a person may answer, so that the same command goes on: `yes`, or a word that `--accept` takes. */
  answers: z.array(z.string()).optional(),
  /** Flags of which one, with its value, makes the same command go on; only where a person has to say what is meant. */
  choices: z.array(StopChoice).optional(),
});

/** What any command prints in the place of its own object when it was stopped. */
export const StoppedObject = z.object({
  stopped: StopObject,
  /** A budget that is enough for all that waits; only where one is reached or missing. */
  budget_to_finish: z.number().optional(),
});
