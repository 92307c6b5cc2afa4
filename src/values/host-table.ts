import { tldts } from '../core/libraries.ts';

/** Where an address leads: its host in lower case and punycode, and its path. */
export interface HostAndPath {
  readonly host: string;
  readonly path: string;
}

interface Found<Value> {
  /** The host by which an address is found, such as `glassdoor.com.au`. */
  readonly host: string;
  readonly value: Value;
}

/** What is said of hosts with this name before the public suffix, or of those below `below` of it. */
interface Named<Value> {
  readonly below: string;
  readonly value: Value;
}

/**
 * What is known of hosts. An entry counts for its host and all below it: `linkedin.com` for
 * `au.linkedin.com`, and not for `notlinkedin.com`. `yahoo.*` is that name under any public suffix.
 */
export class HostTable<Value> {
  readonly #hosts = new Map<string, Value[]>();
  readonly #names = new Map<string, Named<Value>[]>();
  /** The first label of each entry. */
  readonly #labels = new Set<string>();

  add(host: string, value: Value): void {
    this.#labels.add(host.slice(0, host.indexOf('.')));
    if (!host.endsWith('.*')) {
      addTo(this.#hosts, host, value);
      return;
    }
    const labels = host.split('.').slice(0, -1);
    addTo(this.#names, labels.at(-1) ?? '', { below: labels.slice(0, -1).join('.'), value });
  }

  /** All that is said of a host, of the most of its labels first. */
  of(host: string): readonly Found<Value>[] {
    // Nearly every host is looked up in vain, and some of a row several times.
    return this.#hasLabelOf(host) ? this.#saidOf(host) : NONE;
  }

  #hasLabelOf(host: string): boolean {
    let start = 0;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', start)) {
      if (this.#labels.has(host.slice(start, dot))) return true;
      start = dot + 1;
    }
    return this.#labels.has(host.slice(start));
  }

  #saidOf(host: string): readonly Found<Value>[] {
    let found: Found<Value>[] = NONE;
    for (let name = host, dot = 0; dot !== -1; name = name.slice(dot + 1)) {
      dot = name.indexOf('.');
      const values = this.#hosts.get(name);
      if (values !== undefined) found = [...found, ...values.map((value) => ({ host: name, value }))];
      const label = dot === -1 ? name : name.slice(0, dot);
      const named = this.#names.get(label);
      if (named !== undefined) found = [...found, ...underSuffix(host, label, named)];
    }
    return found;
  }
}

const NONE: never[] = [];

/** A name counts only where a public suffix follows it. */
function underSuffix<Value>(
  host: string,
  name: string,
  named: readonly Named<Value>[],
): readonly Found<Value>[] {
  const domain = tldts().getDomain(host);
  if (domain === null || !domain.startsWith(`${name}.`)) return NONE;
  return named.flatMap(({ below, value }) => {
    const whole = below === '' ? domain : `${below}.${domain}`;
    return host === whole || host.endsWith(`.${whole}`) ? [{ host: whole, value }] : [];
  });
}

function addTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

/** `a.b.com`, `b.com`, `com`. */
export function withParents(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.map((_, at) => labels.slice(at).join('.'));
}

/** The lines of a file of hosts, without those that say where the lines below were seen. */
export const linesOfHosts = (data: string): readonly string[] =>
  data
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** An entry of a list of hosts: `kvk.nl/zoeken` counts for that path and those below it. */
export interface HostEntry {
  readonly host: string;
  /** Empty for the whole host. */
  readonly path: string;
}

export const entriesOf = (data: string): readonly HostEntry[] =>
  linesOfHosts(data)
    .flatMap((line) => line.split(/\s+/))
    .map((entry) => {
      const [host = ''] = entry.split('/', 1);
      return { host, path: entry.slice(host.length) };
    });

/** In any letter case: a list in capitals has its paths in capitals as well. */
export function isBelow(path: string, above: string): boolean {
  if (above === '') return true;
  const isStart = path.slice(0, above.length).toLowerCase() === above.toLowerCase();
  return isStart && (path.length === above.length || path[above.length] === '/');
}

/** A list of hosts between blanks. */
export class HostList {
  readonly #paths = new HostTable<string>();

  constructor(data: string) {
    for (const { host, path } of entriesOf(data)) this.#paths.add(host, path);
  }

  has({ host, path }: HostAndPath): boolean {
    return this.#paths.of(host).some(({ value }) => isBelow(path, value));
  }
}
