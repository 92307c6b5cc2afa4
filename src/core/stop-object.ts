import { isoTime } from './clock.ts';
import type { StopDetail } from './errors.ts';
import { present } from './objects.ts';
import { sentence } from './plain-text.ts';

type Stop = Pick<StopDetail, 'message' | 'next'> & {
  /** `bug` for an error of ours. */
  readonly code: StopDetail['code'] | 'bug';
} & {
  readonly [Name in 'resumeAtMs' | 'command' | 'plan' | 'answers' | 'choices']?: StopDetail[Name] | undefined;
};

/** The member `stopped` of `--json`: null where nothing stopped the work. It is made here, without zod, for a crash as well. */
export function stopObject(stopped: Stop | undefined) {
  if (stopped === undefined) return null;
  const { code, message, next, resumeAtMs, command, plan, answers, choices } = stopped;
  return {
    code,
    message: sentence(message),
    next,
    resume_at: resumeAtMs === undefined ? null : isoTime(resumeAtMs),
    ...present({ command, plan, answers, choices: choices?.map((each) => ({ ...each })) }),
  };
}
