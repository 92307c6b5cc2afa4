import { useSignal } from '@preact/signals';
import type { PlanView, ScheduledStart, ScheduleList } from '../../../api.ts';
import { work } from '../../live.ts';
import { Refusal } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { useAsked } from '../../parts/asked.ts';
import { dateAndTime } from '../../parts/figures.ts';
import { ask } from '../../session.ts';
import { hasSchedules } from '../../state.ts';
import { text } from '../../text.ts';

const words = text.plan.later;

/** The same start, but at night. The server keeps it, so this page and the server itself may end until then. */
export function Later({
  plan,
  budget,
  isHeld,
}: {
  readonly plan: PlanView;
  /** Undefined where nothing is paid. */
  readonly budget: number | undefined;
  /** Whether it could not be started now either. */
  readonly isHeld: boolean;
}) {
  const round = useSignal(0);
  const time = useSignal('02:00');
  const action = useAction();
  const asked = useAsked<ScheduleList>(
    (signal) => ask('/schedules', { signal }),
    [plan.list, round.value, work.value],
  );
  if (plan.is_change) return <p class="muted">{words.never}</p>;
  const { starts = [], time_zone: zone } = asked.value.value ?? {};
  if (zone === undefined) return null;
  const agreed = starts.find(({ list, operation }) => list === plan.list && operation === plan.operation);
  const change = (path: string, how: { method: string; body?: unknown }): void =>
    action.run(async () => {
      await ask(path, how);
      hasSchedules.value = true;
      round.value += 1;
    });
  const agree = (): void => {
    const body = { plan: plan.id, at: time.value, ...(budget === undefined ? {} : { budget }) };
    change('/schedules/starts', { method: 'POST', body });
  };
  return (
    <>
      {plan.to_buy > 0 && (
        <div class="actions">
          <label class="box">
            <span class="nowrap">{words.at}</span>
            <input
              type="time"
              value={time.value}
              onInput={(event) => {
                time.value = event.currentTarget.value;
              }}
            />
          </label>
          <span class="muted">{zone}</span>
          <button
            type="button"
            disabled={isHeld || time.value === '' || action.isBusy.value || agreed?.work != null}
            onClick={agree}
          >
            {words.go}
          </button>
        </div>
      )}
      <Refusal refused={action.refused.value} />
      {agreed !== undefined && (
        <Agreed
          start={agreed}
          zone={zone}
          isOther={agreed.plan !== plan.id}
          onDrop={() => change(`/schedules/starts/${agreed.id}`, { method: 'DELETE' })}
        />
      )}
    </>
  );
}

function Agreed({
  start: { at_ms: at, last, work: underWay },
  zone,
  isOther,
  onDrop,
}: {
  readonly start: ScheduledStart;
  readonly zone: string;
  /** Whether it was agreed to with another plan than the one that is shown. */
  readonly isOther: boolean;
  readonly onDrop: () => void;
}) {
  const when = dateAndTime(at, zone);
  return (
    <div class="notice stack" role="status">
      <p>
        {last !== null && (
          <>
            <strong>{words.ended(when)}</strong>{' '}
            {last.message ?? (last.exit_code === 0 ? words.well : words.attention)}{' '}
            {last.batch !== null && <a href={`/batches/${last.batch}`}>{text.schedules.toBatch}</a>}
          </>
        )}
        {last === null && underWay !== null && <strong>{text.schedules.startStates[underWay.state]}</strong>}
        {last === null && underWay === null && (
          <>
            <strong>{words.agreed(when)}</strong> {isOther ? words.other : words.what}
          </>
        )}
      </p>
      {underWay === null && (
        <div class="actions">
          <button type="button" onClick={onDrop}>
            {last === null ? words.drop : words.forget}
          </button>
        </div>
      )}
    </div>
  );
}
