import { isoTime } from './clock.ts';
import { answersIn, doesOf, type StopDetail } from './errors.ts';
import { present } from './objects.ts';
import { Phrase, shownWords, typedWords, type Words } from './phrase.ts';
import { capital, sentence } from './plain-text.ts';
import type { StopChoice } from './stops.ts';

type Stop = Pick<StopDetail, 'message' | 'next'> & {
  /** `bug` for an error of ours. */
  readonly code: StopDetail['code'] | 'bug';
} & {
  readonly [Name in 'resumeAtMs' | 'nextCommand' | 'plan' | 'account' | 'again']?:
    | StopDetail[Name]
    | undefined;
} & { readonly choices?: readonly StopChoice[] | undefined };

/** The member `stopped` of `--json`: null where nothing stopped the work. */
export const stopObject = (stopped: Stop | undefined) => (stopped === undefined ? null : stopShown(stopped));

/** This is made here, without zod, so that it works for a crash as well. */
export function stopShown(stopped: Stop) {
  const { code, resumeAtMs, nextCommand, plan, choices, account } = stopped;
  return {
    code,
    ...wordsShown(stopped),
    resume_at: resumeAtMs === undefined ? null : isoTime(resumeAtMs),
    ...present({ next_command: nextCommand, plan, account: account?.name }),
    ...present({
      answers: answersIn(choices)?.slice(),
      choices: choices?.map((each) => ({ ...each })),
    }),
  };
}

/** A command at the end of a sentence is no part of it, and has no full stop. */
const nextShown = (next: Words): string =>
  next instanceof Phrase && next.shown !== '' ? sentence(next.shown) : shownWords(next);

/** A fact and what to do, in the words of each face, and what to do as data. */
export function wordsShown({ message, next, again }: Pick<Stop, 'message' | 'next' | 'again'>) {
  const typed = { message: sentence(typedWords(message)), next: typedWords(next) };
  const shown = { message: capital(sentence(shownWords(message))), next: nextShown(next) };
  const isSame = typed.message === shown.message && typed.next === shown.next;
  const does = doesOf({ next, again }).map((each) => ({ ...each }));
  return {
    ...typed,
    ...present({ on_page: isSame ? undefined : shown, does: does.length > 0 ? does : undefined }),
  };
}
