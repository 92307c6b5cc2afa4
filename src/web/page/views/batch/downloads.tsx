import type { BatchDetail, TicketRequest } from '../../../api.ts';
import { Refusal } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { NEED_ATTENTION, sumOf } from '../../parts/outcomes.tsx';
import { take } from '../../parts/take.ts';
import { text } from '../../text.ts';

const words = text.batch.downloads;

type What = TicketRequest['what'] | 'workbook';

/** What a person takes along: the list with what was found comes first. */
export function Downloads({ batch }: { readonly batch: BatchDetail }) {
  const attention = sumOf(batch.counts, NEED_ATTENTION);
  return (
    <div class="actions">
      <DownloadButton batch={batch} what="output" />
      {attention > 0 && <DownloadButton batch={batch} what="needs_attention" />}
      {!isWorkbook(batch) && <DownloadButton batch={batch} what="workbook" />}
      <DownloadButton batch={batch} what="report" />
    </div>
  );
}

const isWorkbook = ({ input }: BatchDetail): boolean => /\.xls[xm]$/i.test(input);

function DownloadButton({ batch, what }: { readonly batch: BatchDetail; readonly what: What }) {
  const action = useAction();
  const press = (): void =>
    action.run(async () => {
      const body: TicketRequest = what === 'workbook' ? { what: 'output', format: 'xlsx' } : { what };
      await take(`/batches/${batch.batch}/tickets`, body);
    });
  return (
    <>
      <button
        type="button"
        class={what === 'output' ? 'primary' : ''}
        onClick={press}
        disabled={action.isBusy.value}
      >
        {action.isBusy.value ? words.preparing : nameOf(what, batch)}
      </button>
      <Refusal refused={action.refused.value} />
    </>
  );
}

function nameOf(what: What, batch: BatchDetail): string {
  if (what === 'needs_attention') return words.attention(sumOf(batch.counts, NEED_ATTENTION));
  if (what === 'output') return isWorkbook(batch) ? words.ownWorkbook : words.output;
  return what === 'workbook' ? words.workbook : words.report;
}
