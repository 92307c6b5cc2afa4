import { stop } from '../../core/errors.ts';
import type { JsonValue } from '../../core/operation.ts';
import type { Reply } from '../../ledger/ledger.ts';
import type { Later } from '../dialect.ts';
import { jsonOf } from './answers.ts';
import { requestInCurl } from './curl.ts';
import { leavesOf } from './places.ts';
import type { RequestDraft } from './request-draft.ts';
import { isPlaceholder } from './secrets.ts';

/** How an answer that comes later is asked for: by a line of curl, or by what the first answer shows. */

const OFTEN = { every: '5s', gives_up: '2h' };

/**
 * @param idAt where the id stands in the first answer.
 * @param line of curl with which the vendor is asked for the answer; left out: where the first answer
 *   leads, or below the path of the first request.
 */
export function laterFrom(draft: RequestDraft, reply: Reply, idAt: string, line?: string): Later {
  if (line !== undefined) return { id: idAt, ...asksIn(line, draft), ...OFTEN };
  const answer = jsonOf(reply) ?? null;
  const id = String(leavesOf(answer).find(({ keys }) => keys.join('.') === idAt)?.value ?? '');
  const shown = [...leavesOf(answer).map(({ value }) => value), reply.headers.location ?? ''];
  const path = shown.map((text) => pathWith(id, text, draft)).find((each) => each !== undefined);
  const [below = ''] = draft.entry.path.split('?');
  return { id: idAt, path: path ?? `${below}/{id}`, ...OFTEN };
}

/** The path of an address of the same vendor that leads to the id. */
function pathWith(id: string, text: JsonValue, { origin }: RequestDraft): string | undefined {
  if (typeof text !== 'string' || id === '' || !text.includes(id) || !/^(?:https?:\/)?\//.test(text))
    return undefined;
  const url = URL.canParse(text, origin) ? new URL(text, origin) : undefined;
  if (url === undefined || url.origin !== origin) return undefined;
  const path = `${url.pathname}${url.search}`;
  return path.includes(id) ? path.split(id).join('{id}') : undefined;
}

type Asks = Pick<Later, 'path' | 'method' | 'fields'>;

function asksIn(line: string, { origin }: RequestDraft): Asks {
  const request = requestInCurl(line);
  const { method, path, query, body } = request;
  if (request.origin !== origin || (method !== 'GET' && method !== 'POST'))
    throw stop(
      'usage',
      'The line of --later asks another host, or is not a GET or a POST.',
      'Give the line that asks for the answer.',
    );
  const segments = path.split('/');
  const inPath = segments.findLastIndex((segment) => isPlaceholder(segment));
  const way = method === 'POST' ? { method } : {};
  if (inPath >= 0) return { ...way, path: segments.with(inPath, '{id}').join('/') };
  const fields = [
    ...query.map(([name]) => name),
    ...leavesOf(body ?? null).map(({ keys }) => keys.join('.')),
  ];
  const [field] = [...fields.filter((name) => /id$|hash$|token$/i.test(name)), ...fields];
  if (field !== undefined) return { ...way, path, fields: { id: field } };
  return { ...way, path: [...segments.slice(0, -1), '{id}'].join('/') };
}
