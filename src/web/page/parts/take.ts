import type { Ticket } from '../../api.ts';
import { ask } from '../session.ts';

/** The server writes the file first, then gives a ticket that works once. */
export async function take(path: string, body: object): Promise<void> {
  const ticket = await ask<Ticket>(path, { body });
  const link = document.createElement('a');
  link.href = `/downloads/${ticket.ticket}`;
  link.download = ticket.name;
  link.click();
}
