/**
 * Names by which servers, gateways and frameworks take a request for another one. A dialect and a job may come from another
 * person, and a user who agrees to a method and a path agrees to what is done: so no name in a request may say otherwise.
 */

const PART = '(?:method|verb|host|path|path-info|route|uri|url|query|scheme|port)';

/** In headers, and in queries and bodies as well, because some frameworks look for the same names there. */
const ANYWHERE = new RegExp(
  `^(?:${[
    '[-:$@](?:http-)?method(?:-override)?',
    `(?:x-)?(?:http-)?${PART}-override`,
    `(?:x-)?override-${PART}`,
    'x-http-.*',
    // Hosts of programs put their own name in between, as in x-waws-unencoded-url and x-ms-original-url.
    `x-(?:[a-z\\d]+-)*(?:orig|origin|original|real|request|rewrite|rewritten|matched|tunnel|script|unencoded)-(?:${PART}|name)`,
    'iis-wasurlrewritten|unencoded-url|orig-path-info|rest-route',
  ].join('|')})$`,
);

/** Headers that also say that a request is one of another person, or came from elsewhere. */
const HEADER = new RegExp(
  `^(?:${[
    'cookie2?|forwarded|via|disguised-host|was-default-hostname|base-url|destination|http2-settings|front-end-https|script-name|path-info|request-uri',
    '(?:x-)?(?:http-)?method',
    `x-${PART}|x-url-scheme`,
    'x-(?:original|rewrite|override|forward(?:ed|er)?|proxy(?:user)?|middleware|accel|envoy)(?:-.*)?',
    '(?:x-)?host|(?:x-)?remote-.*',
    '(?:x-)?(?:[a-z-]+-)?(?:real|client|connecting|originating)-ip',
  ].join('|')})$`,
);

export function isMisleadingHeader(name: string): boolean {
  const read = asRead(name);
  return ANYWHERE.test(read) || HEADER.test(read);
}

/** Whether the name of a field in a query or a body, or a part of it that leads into a nested one, is such a name. */
export function isMisleadingField(name: string): boolean {
  const parts = [name, ...name.split(/[.[\]]+/)];
  return parts.some((part) => ANYWHERE.test(asRead(part)));
}

/** What is wrong with the names in the query of a path, as a clause; undefined when nothing is. */
export function queryProblem(path: string): string | undefined {
  const [, ...query] = path.split('?');
  // Some servers separate by semicolons.
  const names = query
    .join('?')
    .split(/[&;?]/)
    .map((each) => each.split('=', 1)[0] ?? '');
  // A cell would decide what the name is.
  if (names.some((name) => name.includes('{'))) return 'its query has a placeholder in a name';
  return names.some((name) => isMisleadingField(decoded(name)))
    ? 'some servers read a name in its query as another kind of request'
    : undefined;
}

function decoded(name: string): string {
  return name
    .replaceAll('+', ' ')
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** As servers read a name: CGI, WSGI and PHP take a hyphen, an underscore, a dot and a blank for the same. */
function asRead(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[_.\s]/g, '-')
    .replace(/\[.*$/, '');
}
