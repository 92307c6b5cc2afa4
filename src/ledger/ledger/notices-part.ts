/** What a job tells somebody outside, such as the end of a night. It is kept before it is sent, so that a crash in between loses none. */

/** When a job tells: its list is done, something stopped it, rows are in doubt, or the vendor has few credits left. */
export const NOTICE_KINDS = ['end', 'stop', 'doubt', 'low_balance'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export interface Notice {
  /** By which a receiver knows that it has this one already: it is sent at least once, and perhaps twice. */
  readonly id: string;
  readonly kind: NoticeKind;
  /** To whom: a name that the accounts file of who sends it explains. */
  readonly target: string;
  /** What is sent, as JSON without personal data. */
  readonly body: string;
  readonly atMs: number;
}

export interface Notices {
  /** Keeps a notice; one with this id that is there already stays. */
  keep(notice: Notice): Promise<void>;
  /** Those that nobody is known to have received, the oldest first. Where many spend, two may send the same one. */
  waiting(): Promise<readonly Notice[]>;
  noteSent(id: string, atMs: number): Promise<void>;
}
