import { stop } from '../../core/errors.ts';
import { isObject } from '../../core/objects.ts';
import { type JsonValue, METHODS, type Method } from '../../core/operation.ts';
import { foreignWords } from '../../core/plain-text.ts';

/** Reads a line of curl as vendors show it in their references. Nothing in it is expanded or run. */

/** The request that a line of curl sends. */
export interface CurlRequest {
  readonly method: Method;
  /** `https://api.example.com` */
  readonly origin: string;
  /** Decoded where that is possible, without the query: `/v1/people/{email}`. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Undefined: the request has none. */
  readonly body: JsonValue | undefined;
  /** What `-u` has: a name and a password with a colon between them. */
  readonly user: string | undefined;
}

/** Takes the value that follows, or what stands behind the flag itself: `-XPOST`. */
const WITH_VALUE: Readonly<Record<string, string>> = {
  '-X': 'method',
  '--request': 'method',
  '-H': 'header',
  '--header': 'header',
  '-d': 'data',
  '--data': 'data',
  '--data-raw': 'data',
  '--data-ascii': 'data',
  '--data-binary': 'data',
  '--data-urlencode': 'encoded',
  '--json': 'json',
  '-u': 'user',
  '--user': 'user',
  '--url': 'url',
};

/** What shapes how curl works on the terminal, or the connection, and not what is asked. */
const IGNORED_WITH_VALUE =
  /^(?:-[omAewbc]|--(?:output|max-time|connect-timeout|user-agent|referer|write-out|retry|retry-delay|cookie|cookie-jar|cacert|proxy|resolve|tlsv?[\d.]*-max))$/;
const IGNORED =
  /^(?:-[sSLivkfg]|--(?:silent|show-error|location|include|verbose|insecure|fail|globoff|compressed|http[\d.]+|tlsv[\d.]+|no-progress-meter|ipv4|ipv6))$/;

interface Options {
  method?: string;
  url?: string;
  user?: string;
  isQuery: boolean;
  isJson: boolean;
  readonly headers: [string, string][];
  readonly data: string[];
}

/** @throws StopError `usage` for what is no such line, and for what a dialect cannot send. */
export function requestInCurl(line: string): CurlRequest {
  const [first, ...words] = shellWords(line.replace(/^\s*\$\s+/, ''));
  if (first === undefined || !/^curl(?:\.exe)?$/.test(first)) throw refused('It does not begin with curl.');
  const options = optionsIn(words);
  const { headers, user } = options;
  const url = urlIn(options);
  const body = options.isQuery ? undefined : bodyIn(options);
  const query = options.isQuery ? [...url.query, ...options.data.flatMap(pairsIn)] : url.query;
  return { method: methodOf(options), ...url, query, headers, body, user };
}

function optionsIn(words: readonly string[]): Options {
  const options: Options = { isQuery: false, isJson: false, headers: [], data: [] };
  const remainingWords = words.flatMap(splitShort);
  for (let word = remainingWords.shift(); word !== undefined; word = remainingWords.shift()) {
    const kind = WITH_VALUE[word];
    const isIgnored = IGNORED_WITH_VALUE.test(word);
    if (kind !== undefined || isIgnored) {
      const value = remainingWords.shift();
      if (value === undefined) throw refused(`Nothing stands behind ${word}.`);
      if (kind !== undefined) take(options, kind, value);
    } else takeWord(options, word);
  }
  return options;
}

function takeWord(options: Options, word: string): void {
  if (word === '-G' || word === '--get') options.isQuery = true;
  else if (!word.startsWith('-')) options.url ??= word;
  else if (!IGNORED.test(word)) throw refused(`${foreignWords(word)} of curl is not known here.`);
}

/** `-sX` is `-s -X`, and `-XPOST` is `-X POST`. */
function splitShort(word: string): readonly string[] {
  const flag = word.slice(0, 2);
  if (!/^-[A-Za-z]/.test(word) || word.length === 2) return [word];
  if (WITH_VALUE[flag] !== undefined || IGNORED_WITH_VALUE.test(flag)) return [flag, word.slice(2)];
  return [flag, ...splitShort(`-${word.slice(2)}`)];
}

function take(options: Options, kind: string, value: string): void {
  if (kind === 'header') options.headers.push(headerIn(value));
  else if (kind === 'data' || kind === 'json') {
    if (value.startsWith('@')) throw refused('Its body is a file, which this cannot read.');
    options.data.push(value);
    options.isJson ||= kind === 'json';
  } else if (kind === 'encoded') options.data.push(encodedData(value));
  else if (kind === 'method') options.method = value;
  else if (kind === 'user') options.user = value;
  else options.url ??= value;
}

function headerIn(text: string): [string, string] {
  const at = text.indexOf(':');
  if (at < 1) throw refused('A header has no colon.');
  return [text.slice(0, at).trim().toLowerCase(), text.slice(at + 1).trim()];
}

/** `name=text` of `--data-urlencode`; the text alone, or behind `=`, has no name. */
function encodedData(text: string): string {
  const at = text.indexOf('=');
  return at < 1
    ? encodeURIComponent(text.slice(at + 1))
    : `${text.slice(0, at)}=${encodeURIComponent(text.slice(at + 1))}`;
}

function urlIn({ url: text }: Options): Pick<CurlRequest, 'origin' | 'path' | 'query'> {
  if (text === undefined) throw refused('It has no address.');
  const whole = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (!URL.canParse(whole)) throw refused('Its address is not a web address.');
  const url = new URL(whole);
  if (url.username !== '') throw refused('Its address has a name or a password in it.');
  const query = pairsIn(url.search.slice(1));
  return { origin: url.origin, path: url.pathname.split('/').map(decoded).join('/'), query };
}

const pairsIn = (text: string): [string, string][] => [...new URLSearchParams(text)];

function decoded(segment: string): string {
  try {
    const text = decodeURIComponent(segment);
    return text.includes('/') ? segment : text;
  } catch {
    return segment;
  }
}

function methodOf({ method, data, isQuery }: Options): Method {
  const word = (method ?? (data.length > 0 && !isQuery ? 'POST' : 'GET')).toUpperCase();
  const known = METHODS.find((each) => each === word);
  if (known !== undefined) return known;
  throw refused(`${foreignWords(word)} is not a method that reads.`);
}

/** @throws StopError `usage` for anything but an object of JSON. */
function bodyIn({ data, headers, isJson }: Options): JsonValue | undefined {
  if (data.length === 0) return undefined;
  const text = data.join('&');
  try {
    const body: JsonValue = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
    if (/^\s*[{[]/.test(text) || isJson || type.includes('json'))
      throw stop(
        'usage',
        "The body of this line of curl is not JSON, perhaps because a ' within it has ended the word.",
        'Put the line into a file, line.txt, and type "$(cat line.txt)" in its place.',
      );
    throw refused('It sends a form, and a dialect sends JSON or a query.');
  }
  throw refused('Its body is a list, and a dialect sends an object.');
}

const refused = (fact: string) =>
  stop(
    'usage',
    `This line of curl cannot be tried. ${fact}`,
    'Take the line from the reference of the vendor, in one pair of quotes.',
  );

// ---------------------------------------------------------------------------------------- words of a shell

/**
 * The parts of a command line, in this order: blanks, signs of another command, quotations, an escaped sign,
 * all else. Blanks may have a backslash before the end of a line, which a page may have lost. Pages set curly
 * quotes for those of a shell.
 */
const SHELL =
  /(?<blank>(?:[\\^](?=\s)|\s)+)|(?<end>(?:\||>|;|#|&&|2>).*)|\$'(?<c>(?:\\.|[^'\\])*)'|['‘’](?<single>[^'‘’]*)['‘’]|["“”](?<double>(?:\\.|[^"“”\\])*)["“”]|\\(?<escaped>.)|(?<plain>[^\s'"‘’“”\\$]+|\$)/gsu;

/** The words of a command as a POSIX shell splits them. Variables stay as they are written. */
export function shellWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let read = 0;
  for (const { groups = {}, index, 0: text } of line.matchAll(SHELL)) {
    if (index !== read || (groups.end !== undefined && word === undefined)) break;
    read += text.length;
    if (groups.blank === undefined) word = (word ?? '') + textOf(text, groups);
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (/^["'“‘]/.test(line.slice(read))) throw refused('One of its quotes is never closed.');
  return word === undefined ? words : [...words, word];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function textOf(
  text: string,
  { c, single, double, escaped }: Readonly<Record<string, string | undefined>>,
): string {
  if (c !== undefined) return c.replaceAll(/\\(.)/gs, (_, sign: string) => ESCAPES[sign] ?? sign);
  if (double !== undefined) return double.replaceAll(/\\(["\\$`]|\n)/g, (_, sign: string) => sign.trim());
  return single ?? escaped ?? text;
}
