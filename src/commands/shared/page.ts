import { z } from 'zod';
import { checkInput } from '../../lib/checked-input.ts';
import cancel from '../cancel.ts';
import forget from '../forget.ts';
import log from '../log.ts';
import pause from '../pause.ts';
import resume from '../resume.ts';
import settle from '../settle.ts';
import spend from '../spend.ts';
import status from '../status.ts';
import type { Command } from './command.ts';
import { callOf } from './library.ts';

/** Answers `POST /api/COMMAND` with what the command prints under `--json`. */
export type PageCall = (given: unknown) => Promise<object>;

/** Those that only look or decide: what spends is a process of its own. */
const ASKED = [cancel, forget, log, pause, resume, settle, spend, status] as readonly Command[];

/** The page knows no path of the machine, and its store and its user are those of `serve`. */
const NOT_ASKED: ReadonlySet<string> = new Set(['store', 'as', 'output']);

type Own = { readonly [Name in 'store' | 'as']?: string | undefined };

export function pageCalls(own: Own): ReadonlyMap<string, PageCall> {
  return new Map(ASKED.map((of) => [of.name, callFor(of, own)]));
}

function callFor(of: Command, own: Own): PageCall {
  const call = callOf(of);
  const shape: Record<string, z.ZodType> = of.input.shape;
  const asked = Object.entries(shape).filter(([name]) => !NOT_ASKED.has(name));
  return async (given) => {
    checkInput(of.name, z.strictObject(Object.fromEntries(asked)), given);
    return call({ ...(given as object), ...own });
  };
}
