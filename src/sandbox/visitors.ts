import type { IncomingHttpHeaders } from 'node:http';

/** Only programs of this machine may talk to the sandbox, and no web page that is open on it. */

/** The names of this machine. A web page whose own name leads to this machine uses that other name. */
const THIS_MACHINE = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?$/i;

/** Why a request is refused; undefined when it is not. A browser always sends the origin of the page. */
export function refusalOf({ host = '', origin }: IncomingHttpHeaders): string | undefined {
  if (!THIS_MACHINE.test(host)) return `${NOT_HEARD}, under the name 127.0.0.1 or localhost.`;
  if (origin !== undefined && origin !== `http://${host}`) return `${NOT_HEARD}, and not to a web page.`;
  return undefined;
}

const NOT_HEARD = 'The sandbox answers to programs of this machine';
