import { join, sep } from 'node:path';
import type { Context } from 'hono';
import type { z } from 'zod';
import { bugWords, StopError, stop } from '../../core/errors.ts';
import { present } from '../../core/objects.ts';
import { listsFolder } from '../../core/paths.ts';
import { stopShown } from '../../core/stop-object.ts';
import { STOPS } from '../../core/stops.ts';
import { listNameOf } from '../../files/called.ts';
import { systemStop } from '../../lib/system-errors.ts';
import { checkInput } from '../../lib/yaml/schema-problem.ts';
import type { StopObject } from '../../objects/stop-object.ts';
import type { Refusal } from '../api.ts';
import type { Server } from './server.ts';

/** The most bytes of a request body. Uploads do not come as bodies of this kind. */
const MOST_BODY = 1 << 20;

/** Reads the JSON body of a request. @throws StopError `usage` for one that is not as the API says. */
export async function bodyOf<Body extends z.ZodObject>(
  { req }: Context,
  schema: Body,
): Promise<z.output<Body>> {
  const fact = 'The request is longer than 1 MiB, or does not say how long it is.';
  if (!(Number(req.header('content-length')) <= MOST_BODY))
    throw stop('usage', fact, 'Shorten it, and send its content-length.');
  const value: unknown = await req.json().catch(() => {
    throw stop('usage', 'The request is not JSON.', 'See docs/reference/json.md.');
  });
  return checkInput(req.path, schema, value);
}

/** @param place where the lists are that a refusal calls by their names. */
export function refusalOf(place: Pick<Server, 'folder'>, error: unknown, context: Context): Response {
  const refused = refusedAs(error);
  const body: Refusal = { error: inListNames(place, refused) };
  return context.json(body, error instanceof HttpRefusal ? error.status : statusOf(refused));
}

/** A bug is an error of this server. */
const statusOf = ({ code }: Refusal['error']): 400 | 409 | 500 => (code === 'bug' ? 500 : STOPS[code].http);

/** The refusal for an error. A bug of ours is called one, and its stack stays in this process. */
function refusedAs(error: unknown): Refusal['error'] {
  if (error instanceof CommandStopped) return error.stopped;
  const stopped = error instanceof StopError ? error : systemStop(error);
  const next = 'This is a bug of Rowonce: please report what you did.';
  return stopShown(stopped?.detail ?? { code: 'bug', message: bugWords(error), next });
}

/** A stop calls each list by the user's name, and no job by the path where it was written. */
export function inListNames({ folder }: Pick<Server, 'folder'>, stopped: StopObject): StopObject {
  const lists = join(listsFolder(folder), sep);
  const nameAt = (_: string, list?: string): string => (list ? listNameOf(join(lists, list)) : '');
  const named = (text: string): string => text.replaceAll(lists, '\uE000').replaceAll(IN_LISTS, nameAt);
  const inNames = <Said extends Pick<StopObject, 'message' | 'next'>>(texts: Said): Said => ({
    ...texts,
    message: named(texts.message),
    next: named(texts.next),
  });
  const { on_page: shown } = stopped;
  return { ...inNames(stopped), ...present({ on_page: shown && inNames(shown) }) };
}

/** The path of a list behind the sign for the folder of all lists, or that of a job and the place in it. */
const IN_LISTS =
  /\uE000(?:([0-9a-f]{16}[\\/](?:list|copy-[0-9a-f]{64})\.[\w.]*\w)|[0-9a-f]{16}[\\/]jobs[\\/][0-9a-f]+\.yaml(?::\d+)*:? ?)?/g;

/** A refusal with a status of its own: 401 without a token, 403 for another page, 404 for a missing thing. */
export class HttpRefusal extends StopError {
  readonly status: 401 | 403 | 404;

  constructor(status: 401 | 403 | 404, message: string, next: string) {
    super({ code: 'usage', message, next });
    this.status = status;
  }
}

/** A command has refused, in words of its own. */
export class CommandStopped extends Error {
  readonly stopped: StopObject;

  constructor(stopped: StopObject) {
    super(stopped.message);
    this.stopped = stopped;
  }
}
