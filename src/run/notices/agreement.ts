import { hash } from 'node:crypto';
import { type Answers, type Question, requireAgreement } from '../../client/account/agreements.ts';
import { canonicalJson } from '../../core/call-key.ts';
import { foreignWords } from '../../core/plain-text.ts';
import type { Job } from '../../job/job.ts';
import { NOTICE_KINDS } from '../../ledger/ledger.ts';

/**
 * What a person agrees to once before a job tells anything: the job may be from another person, who chose that address. Undefined
 * for a job that tells nothing.
 */
export function notifyQuestion({ notify, path }: Pick<Job, 'notify' | 'path'>): Question | undefined {
  if (notify === undefined || path === undefined) return undefined;
  const { on = NOTICE_KINDS, ...to } = notify;
  const whom = 'webhook' in to ? to.webhook : to.command.join(' ');
  const details = [
    `${'webhook' in to ? 'to' : 'by the command'}: ${foreignWords(whom, whom.length)}`,
    `when: ${on.join(', ')}`,
    'what: the names of the job and the batch, counts of rows and credits, and the code of a stop; no cell and no answer',
  ];
  const agreed = ['rowonce-notify-1', path, to, on];
  return {
    agreement: `notify:${hash('sha256', canonicalJson(agreed), 'hex').slice(0, 32)}`,
    fact: `The job ${path} sends notices about its lists`,
    details,
  };
}

/** @throws StopError `consent` when nobody has agreed yet to whom the job tells. */
export async function requireAgreedNotify(job: Job, answers: Answers): Promise<void> {
  const question = notifyQuestion(job);
  if (question !== undefined) await requireAgreement(question, answers);
}
