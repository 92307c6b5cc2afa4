import { useSignal } from '@preact/signals';
import type { BatchDetail, Ticket, TicketRequest } from '../../../api.ts';
import { asRefused, Refusal } from '../../loaded.tsx';
import { ask, type Refused } from '../../session.ts';
import { text } from '../../text.ts';

const words = text.batch.downloads;

/** What a person takes along. The server writes it first, then gives a ticket that works once. */
export function Downloads({ batch }: { readonly batch: BatchDetail }) {
  const preparing = useSignal<string | undefined>(undefined);
  const refused = useSignal<Refused | undefined>(undefined);
  const settled = batch.settled > 0;
  const attention = ['invalid', 'refused', 'in_doubt'].some((kind) => (batch.counts[kind] ?? 0) > 0);
  const isWorkbook = /\.xls[xm]$/i.test(batch.input);
  const take = async (name: string, wanted: TicketRequest): Promise<void> => {
    preparing.value = name;
    refused.value = undefined;
    try {
      const body = { ...wanted };
      const ticket = await ask<Ticket>(`/batches/${batch.batch}/tickets`, { body });
      const link = document.createElement('a');
      link.href = `/downloads/${ticket.ticket}`;
      link.download = ticket.name;
      link.click();
    } catch (error) {
      refused.value = asRefused(error);
    } finally {
      preparing.value = undefined;
    }
  };
  const button = (name: string, wanted: TicketRequest, isThere: boolean) => (
    <button
      type="button"
      onClick={() => take(name, wanted)}
      disabled={!isThere || preparing.value !== undefined}
    >
      {preparing.value === name ? words.preparing : name}
    </button>
  );
  return (
    <section class="card batch-card">
      <h2>{words.title}</h2>
      <p class="muted">{settled ? words.what : words.nothingYet}</p>
      <div class="actions">
        {button(words.output, { what: 'output' }, settled)}
        {!isWorkbook && button(words.workbook, { what: 'output', format: 'xlsx' }, settled)}
        {button(words.attention, { what: 'needs_attention' }, attention)}
        {button(words.report, { what: 'report' }, settled)}
      </div>
      {refused.value !== undefined && <Refusal refused={refused.value} />}
    </section>
  );
}
