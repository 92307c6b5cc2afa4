import { Hono } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import { type OpenAnswer, type Opening, OpenRequest } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import type { Guarded } from './guard.ts';

export function openingOf({ address, admission }: Guarded): Opening {
  return { address: address.withWord(admission.issue()) };
}

export function sessionRoutes(guarded: Guarded): Hono {
  const app = new Hono();
  app.post('/session', async (context) => {
    const { opening: word } = await bodyOf(context, OpenRequest);
    const token = guarded.admission.admit(word);
    if (token === undefined)
      throw new HttpRefusal(
        401,
        'This address was used already, or is older than a minute.',
        `Ask for a new one: ${commandLine(['serve'])}`,
      );
    return context.json({ token } satisfies OpenAnswer);
  });
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.post('/openings', (context) => context.json(openingOf(guarded)));
  return app;
}
