import { HostTable, linesOfHosts } from './host-table.ts';
import { REDIRECTS } from './seen-hosts/redirects.ts';

/** Links of searches, mail programs and networks that lead to another address, which stands in them. */

interface Redirect {
  readonly path: string;
  /** The parameters in which the other address may stand. */
  readonly parameters: readonly string[];
}

const redirects = new HostTable<Redirect>();
for (const line of linesOfHosts(REDIRECTS)) {
  const [host = '', path = '', parameters = ''] = line.split(/\s+/);
  redirects.add(host, { path, parameters: parameters.split(',') });
}

/** A redirect may lead to another one: a search, in a mail. */
const MOST_REDIRECTS = 3;

/** The address to which a link leads in the end; the same address where it is no redirect, or hides that. */
export function redirectTarget(url: URL): URL {
  let found = url;
  for (let at = 0; at < MOST_REDIRECTS; at += 1) {
    const next = targetOf(found);
    if (next === undefined) return found;
    found = next;
  }
  return found;
}

function targetOf(url: URL): URL | undefined {
  const proofpoint = proofpointTarget(url);
  if (proofpoint !== undefined) return proofpoint;
  // Most addresses have no query.
  if (url.search === '') return undefined;
  return redirects
    .of(url.hostname)
    .filter(({ value }) => url.pathname.startsWith(value.path))
    .flatMap(({ value: { parameters } }) => parameters.map((name) => webAddress(url.searchParams.get(name))))
    .find((target) => target !== undefined);
}

/**
 * `/v3/__https://acme.com__;!!…`, and `/v2/url?u=https-3A__acme.com`, in which `-` and `_` hide other signs.
 */
function proofpointTarget(url: URL): URL | undefined {
  if (!/^urldefense(?:\.proofpoint)?\.com$/.test(url.hostname)) return undefined;
  const { pathname, search, searchParams } = url;
  const [, third] = /^\/v3\/__(.+?)__;/.exec(pathname + search) ?? [];
  if (third !== undefined) return webAddress(third);
  const second = searchParams.get('u');
  if (second === null || !pathname.startsWith('/v2/')) return undefined;
  const plain = second.replaceAll('_', '/').replaceAll(/-([0-9A-F]{2})/g, '%$1');
  try {
    return webAddress(decodeURIComponent(plain));
  } catch {
    return undefined;
  }
}

function webAddress(text: string | null): URL | undefined {
  if (text === null || !/^https?:\/\//i.test(text) || /\s/.test(text)) return undefined;
  return URL.parse(text) ?? undefined;
}
