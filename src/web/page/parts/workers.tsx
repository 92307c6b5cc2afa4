import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { WorkerList, WorkerView } from '../../api.ts';
import { Loaded } from '../loaded.tsx';
import { text } from '../text.ts';
import { grouped } from './figures.ts';
import { numbers, Table } from './table.tsx';

const words = text.workers;

/** How often it is asked who is at work, ms. */
const AGAIN_MS = 2_000;

/** Who spends from a store that many share, each with what it sends of every account; nothing for any other store. */
export function Workers() {
  const asked = useSignal(0);
  const isShared = useSignal(false);
  useEffect(() => {
    if (!isShared.value) return;
    const timer = setInterval(() => {
      if (!document.hidden) asked.value += 1;
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isShared.value]);
  return (
    <Loaded<WorkerList> path="/workers" again={asked.value} meanwhile={null}>
      {({ shared, workers }) => {
        isShared.value = shared;
        return shared ? <Listed workers={workers} /> : null;
      }}
    </Loaded>
  );
}

function Listed({ workers }: { readonly workers: readonly WorkerView[] }) {
  if (workers.length === 0) return <p class="notice">{words.none}</p>;
  const columns = [words.host, words.process, words.command, words.account];
  return (
    <section class="card stack">
      <h2>{words.title(grouped(workers.length))}</h2>
      <Table name={words.table} columns={[...columns, ...numbers(words.inFlight, words.share, words.beat)]}>
        {workers.flatMap((worker) =>
          accountsOf(worker).map(({ account, in_flight: inFlight, share }) => (
            <tr key={`${worker.host} ${worker.pid} ${account}`}>
              <td>{worker.host}</td>
              <td>{worker.pid}</td>
              <td title={worker.command}>{commandOf(worker)}</td>
              <td>{account}</td>
              <td class="number">{grouped(inFlight)}</td>
              <td class="number">{share === undefined ? '' : grouped(share)}</td>
              <td class="number">{beatWords(worker)}</td>
            </tr>
          )),
        )}
      </Table>
    </section>
  );
}

/** One that has nothing to do has a line all the same. */
function accountsOf({ accounts }: WorkerView): WorkerView['accounts'] {
  return accounts.length === 0 ? [{ account: '', in_flight: 0 }] : accounts;
}

/** What a whole command is called: the rest of it are paths. */
function commandOf({ command }: WorkerView): string {
  return /(?:\browonce|bin\.js'?) (\w+)/.exec(command)?.[1] ?? command;
}

function beatWords({ beat_seconds: seconds }: WorkerView): string {
  return seconds === undefined ? words.noBeat : words.ago(seconds.toFixed(1));
}
