import { z } from 'zod';
import { NOTICE_KINDS } from '../../ledger/ledger.ts';

/** Whom a job tells, and of what. */

const line = z
  .string()
  .min(1)
  .max(2_000)
  .regex(/^\P{Cc}*$/u, 'it contains a line break or another control character');

/** It runs without a shell, so what only a shell understands is refused. */
const command = line
  .regex(/^[^'"`$|&;<>(){}*?\\~#]+$/u, {
    error: 'it runs without a shell, so quotes, variables and pipes do not work; write a list of words',
  })
  .transform((text) => text.trim().split(/ +/));

const on = z.array(z.enum(NOTICE_KINDS)).min(1).optional();

/** What is sent says how a company works, so it goes in the clear to this machine alone. */
const webhook = line
  .regex(/^(?:https:\/\/|http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])[:/])/, {
    error: 'a webhook begins with https://',
  })
  .refine(isWithoutPassword, { error: 'it must be an address without a user name and a password' });

/** Nothing is sent to an address with a password, and the reason, which is logged, would quote it. */
function isWithoutPassword(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

export const notifySchema = z.union([
  z.strictObject({ webhook, on }),
  z.strictObject({ command: z.union([command, z.array(line).min(1)]), on }),
]);

export type Notify = z.infer<typeof notifySchema>;
