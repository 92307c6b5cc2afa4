import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { z } from 'zod';
import { bugWords, StopError, stop } from '../../core/errors.ts';
import { stopShown } from '../../core/stop-object.ts';
import { checkInput } from '../../lib/checked-input.ts';
import { systemStop } from '../../lib/system-errors.ts';
import type { Refusal } from '../api.ts';

/** The most bytes of a request body. Uploads do not come as bodies of this kind. */
const MOST_BODY = 1 << 20;

/** Every client is on this machine, so a body that takes longer will not arrive. */
const BODY_MS = 5_000;

/** Reads the JSON body of a request. @throws StopError `usage` for one that is not as the API says. */
export async function bodyOf<Body extends z.ZodObject>(
  { req }: Context,
  schema: Body,
): Promise<z.output<Body>> {
  const text = await textOf(req.raw.body);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw stop('usage', 'The request is not JSON.', 'See docs/reference/json.md.');
  }
  return checkInput(req.path, schema, value);
}

/** Counts the bytes while it reads, because a body need not say how long it is. */
async function textOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const write = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > MOST_BODY)
      throw stop('usage', 'The request is longer than 1 MiB.', 'Send a list as an upload.');
    chunks.push(chunk);
  };
  const late = AbortSignal.timeout(BODY_MS);
  try {
    await body?.pipeTo(new WritableStream({ write }), { signal: late });
  } catch (error) {
    if (error instanceof StopError) throw error;
    const why = late.aborted ? `did not arrive within ${BODY_MS / 1000} s` : 'broke off';
    throw stop('usage', `The request ${why}.`, 'Send it again.');
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Reads the part of an address behind the `?`.
 * @throws StopError `usage` for a name or a value that the API does not know.
 */
export function queryOf<Query extends z.ZodObject>({ req }: Context, schema: Query): z.output<Query> {
  return checkInput(req.path, schema, req.query());
}

export function refusalOf(error: unknown, context: Context): Response {
  const refused = refusedAs(error);
  return context.json({ error: refused }, statusOf(error, refused));
}

/** The refusal for an error. A bug of ours is called one, and its stack stays in this process. */
function refusedAs(error: unknown): Refusal['error'] {
  const stopped = error instanceof StopError ? error : systemStop(error);
  const next = 'This is a bug of Rowonce: please report what you did.';
  return stopShown(stopped?.detail ?? { code: 'bug', message: bugWords(error), next });
}

/** A refusal with a status of its own: 401 without a token, 403 for another page, 404 for a missing thing. */
export class HttpRefusal extends StopError {
  readonly status: 401 | 403 | 404;

  constructor(status: 401 | 403 | 404, message: string, next: string) {
    super({ code: 'usage', message, next });
    this.status = status;
  }
}

/**
 * 409 while another process holds the thing, and for a plan that moved; 400 for a wrong request; 500 for a
 * bug.
 */
function statusOf(error: unknown, { code }: Refusal['error']): ContentfulStatusCode {
  if (error instanceof HttpRefusal) return error.status;
  if (code === 'bug') return 500;
  return code === 'busy' || code === 'plan' ? 409 : 400;
}
