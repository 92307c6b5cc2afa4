import { randomInt } from 'node:crypto';

/**
 * Where the page is. Each start has a name that no program ever served at, so that nothing which a browser keeps for an
 * address, such as a service worker, can be there before the page. Browsers lead every name below `localhost` to this machine.
 */

/** By which address a request comes: the name of this start, or the bare address of the machine. */
export type Door = 'named' | 'bare';

export const USUAL_HOST = '127.0.0.1';

export class Address {
  /** Undefined at another address of this machine than the usual one, to which names lead. */
  readonly #name: string | undefined;
  readonly #bare: string;
  readonly #port: number;

  constructor(host: string, port: number) {
    this.#name = host === USUAL_HOST ? `${newName()}.localhost` : undefined;
    this.#bare = `${host}:${port}`;
    this.#port = port;
  }

  /** Where tools ask, which do not resolve names below `localhost`. */
  get forTools(): string {
    return `http://${this.#bare}`;
  }

  /** Opens the page by its name. Browsers send what follows the `#` to nobody. */
  named(word: string): string | undefined {
    return this.#name && `http://${this.#name}:${this.#port}/#open=${word}`;
  }

  /** Opens the page where its name is not found. @param key of a first visit, as `BareEntry` says. */
  entry(key: string): string {
    return `${this.forTools}${entryPath(key)}`;
  }

  /** @param host the `Host` of a request. The end of a tunnel may have another port, and a name is ours at any. */
  doorOf(host: string): Door | undefined {
    if (host === this.#bare) return 'bare';
    return host.replace(/:\d{1,5}$/, '') === this.#name ? 'named' : undefined;
  }
}

export const entryPath = (key: string): string => `/enter/${key}`;

const LETTERS = 26;

/** 122 random bits. */
function newName(): string {
  const letter = (): string => String.fromCharCode('a'.charCodeAt(0) + randomInt(LETTERS));
  return Array.from({ length: 26 }, letter).join('');
}
