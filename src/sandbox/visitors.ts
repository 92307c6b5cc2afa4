import type { IncomingHttpHeaders } from 'node:http';

/** Who may talk to the sandbox: programs of this machine, and no web page that happens to be open on it. */

/** A page whose own name leads to this machine asks under that name, which no program of this machine would do. */
const THIS_MACHINE = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Why a request is not heard; undefined when it is. Browsers say from where a page comes in whatever it sends. */
export function refusalOf({ host = '', origin }: IncomingHttpHeaders): string | undefined {
  if (!THIS_MACHINE.test(host)) return `${NOT_HEARD}, under the name 127.0.0.1 or localhost.`;
  if (origin !== undefined && origin !== `http://${host}`) return `${NOT_HEARD}, and not to a web page.`;
  return undefined;
}

const NOT_HEARD = 'The sandbox answers to programs of this machine';
