import { userInfo } from 'node:os';
import { stop } from '../core/errors.ts';
import { plainText } from '../core/plain-text.ts';

/** As long as an address of an e-mail may be. */
const LONGEST = 254;

/**
 * Who is at work: the name that was said, or the user of the system. It is a note for people; nothing is allowed or forbidden by it.
 * @throws StopError `usage` for a name that is none.
 */
export function operatorNamed(said: string | undefined): string {
  if (said === undefined) return systemUser();
  const name = plainText(said).trim();
  if (name !== '' && name.length <= LONGEST && !/[\n\r]/.test(name)) return name;
  throw stop(
    'usage',
    `The operator's name has ${name.length} characters, but it must be one line of at most ${LONGEST}.`,
    'Give a name after --as, such as --as "Jo Byrne".',
  );
}

/** A container may run under a number that no user has. */
function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return process.env.USER || `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
