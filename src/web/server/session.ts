import { Hono } from 'hono';
import { type OpenAnswer, type Opening, OpenRequest } from '../api.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import type { Guarded } from './guard.ts';

/** How a tab gets its token. @param opening makes another address of the page. */
export function sessionRoutes({ address, admission }: Guarded, opening: () => Opening): Hono {
  const app = new Hono();
  app.post('/session', async (context) => {
    const { opening: word } = await bodyOf(context, OpenRequest);
    const door = address.doorOf(context.req.header('host') ?? '');
    const token = door && admission.admit(word, door);
    if (token === undefined)
      throw new HttpRefusal(
        401,
        'This address was used already, or is older than a minute.',
        'Run rowonce serve again for a new one.',
      );
    return context.json({ token } satisfies OpenAnswer);
  });
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.post('/openings', (context) => context.json(opening()));
  return app;
}
