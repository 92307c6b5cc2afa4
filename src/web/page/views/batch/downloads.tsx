import { useSignal } from '@preact/signals';
import type { BatchDetail, Ticket, TicketRequest } from '../../../api.ts';
import { Refusal } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { NEED_ATTENTION, sumOf } from '../../parts/outcomes.tsx';
import { ask } from '../../session.ts';
import { text } from '../../text.ts';

const words = text.batch.downloads;

/** What a person takes along. The server writes it first, then gives a ticket that works once. */
export function Downloads({ batch }: { readonly batch: BatchDetail }) {
  const action = useAction();
  const preparing = useSignal('');
  const settled = batch.settled > 0;
  const attention = sumOf(batch.counts, NEED_ATTENTION) > 0;
  const isWorkbook = /\.xls[xm]$/i.test(batch.input);
  const take = (name: string, body: TicketRequest): void =>
    action.run(async () => {
      preparing.value = name;
      const ticket = await ask<Ticket>(`/batches/${batch.batch}/tickets`, { body });
      const link = document.createElement('a');
      link.href = `/downloads/${ticket.ticket}`;
      link.download = ticket.name;
      link.click();
    });
  const button = (name: string, wanted: TicketRequest, isThere: boolean) => (
    <button type="button" onClick={() => take(name, wanted)} disabled={!isThere || action.isBusy.value}>
      {action.isBusy.value && preparing.value === name ? words.preparing : name}
    </button>
  );
  return (
    <section class="card stack">
      <h2>{words.title}</h2>
      <p class="muted">{settled ? words.what : words.nothingYet}</p>
      <div class="actions">
        {button(words.output, { what: 'output' }, settled)}
        {!isWorkbook && button(words.workbook, { what: 'output', format: 'xlsx' }, settled)}
        {button(words.attention, { what: 'needs_attention' }, attention)}
        {button(words.report, { what: 'report' }, settled)}
      </div>
      <Refusal refused={action.refused.value} />
    </section>
  );
}
