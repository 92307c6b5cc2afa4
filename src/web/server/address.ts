import { randomInt } from 'node:crypto';

/**
 * The address of the page. Each start has a name at which no program ever served. So nothing that a browser
 * keeps for an address, such as a service worker, can be there before the page. Browsers resolve every name
 * below `localhost` to this machine.
 */
export class Address {
  readonly #name = `${newName()}.localhost`;
  readonly #bare: string;
  readonly #port: number;

  constructor(port: number) {
    this.#bare = `127.0.0.1:${port}`;
    this.#port = port;
  }

  /** The address for tools, which do not resolve names below `localhost`. */
  get forTools(): string {
    return `http://${this.#bare}`;
  }

  /** The address that opens the page. Browsers send the text after the `#` to nobody. */
  withWord(word: string): string {
    return `http://${this.#name}:${this.#port}/#open=${word}`;
  }

  /**
   * @param host the `Host` of a request. The end of a tunnel may have another port; the name is ours at any
   * port.
   */
  isPage(host: string): boolean {
    return host.replace(/:\d{1,5}$/, '') === this.#name;
  }

  isForTools(host: string): boolean {
    return host === this.#bare;
  }
}

const LETTERS = 26;

/** 122 random bits. */
function newName(): string {
  const letter = (): string => String.fromCharCode('a'.charCodeAt(0) + randomInt(LETTERS));
  return Array.from({ length: 26 }, letter).join('');
}
