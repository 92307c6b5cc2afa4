import { Hono } from 'hono';
import { commandLine } from '../../lib/command-line.ts';
import { type OpenAnswer, type Opening, OpenRequest, type Proof, ProofRequest } from '../api.ts';
import { entryPath } from './address.ts';
import { bodyOf, HttpRefusal } from './answers.ts';
import { closedPage, waitingPage } from './closed.ts';
import type { Guarded } from './guard.ts';

export function openingOf({ address, admission, bareEntry }: Guarded): Opening {
  const bare = address.entry(bareEntry.begin());
  return { address: address.named(admission.issue('named')) ?? bare, bare_address: bare };
}

/** How a tab gets its token. */
export function sessionRoutes(guarded: Guarded): Hono {
  const { address, admission } = guarded;
  const app = new Hono();
  app.post('/api/session', async (context) => {
    const { opening: word } = await bodyOf(context, OpenRequest);
    const door = address.doorOf(context.req.header('host') ?? '');
    const token = door && admission.admit(word, door);
    if (token === undefined)
      throw new HttpRefusal(
        401,
        'This address was used already, or is older than a minute.',
        `Ask for a new one: ${commandLine(['serve'])}`,
      );
    return context.json({ token, proof_key: admission.proofKey } satisfies OpenAnswer);
  });
  // A tab asks without its token, which it would not show to who cannot prove this.
  app.post('/api/proof', async (context) => {
    const { nonce } = await bodyOf(context, ProofRequest);
    return context.json({ proof: admission.prove(nonce) } satisfies Proof);
  });
  // A tool that has the token of serve.json, such as a second `rowonce serve`, asks for another address.
  app.post('/api/openings', (context) => context.json(openingOf(guarded)));
  app.get('/enter/:key', (context) => {
    const { req } = context;
    // What a script asks for does not say this, and cannot. A worker that hands on what a window asks is gone with the answer.
    const isOpened =
      req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';
    if (!isOpened) return waitingPage(context, entryPath(encodeURIComponent(req.param('key'))));
    const found = guarded.bareEntry.visit(req.param('key'));
    if (found === undefined) return closedPage(context);
    if (found === 'free') return context.redirect(`/#open=${admission.issue('bare')}`, 303);
    return waitingPage(context, entryPath(found.nextKey));
  });
  return app;
}
