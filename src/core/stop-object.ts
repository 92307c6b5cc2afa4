import { isoTime } from './clock.ts';
import { answersIn, type StopDetail } from './errors.ts';
import { present } from './objects.ts';
import { sentence } from './plain-text.ts';
import type { StopChoice } from './stops.ts';

type Stop = Pick<StopDetail, 'message' | 'next'> & {
  /** `bug` for an error of ours. */
  readonly code: StopDetail['code'] | 'bug';
} & {
  readonly [Name in 'resumeAtMs' | 'nextCommand' | 'plan' | 'account']?: StopDetail[Name] | undefined;
} & { readonly choices?: readonly StopChoice[] | undefined };

/** The member `stopped` of `--json`: null where nothing stopped the work. */
export const stopObject = (stopped: Stop | undefined) => (stopped === undefined ? null : stopShown(stopped));

/** This is made here, without zod, so that it works for a crash as well. */
export function stopShown(stopped: Stop) {
  const { code, message, next, resumeAtMs, nextCommand, plan, choices, account } = stopped;
  return {
    code,
    message: sentence(message),
    next,
    resume_at: resumeAtMs === undefined ? null : isoTime(resumeAtMs),
    ...present({ next_command: nextCommand, plan, account: account?.name }),
    ...present({
      answers: answersIn(choices)?.slice(),
      choices: choices?.map((each) => ({ ...each })),
    }),
  };
}
