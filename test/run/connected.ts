import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { StopError } from '../../src/core/errors.ts';
import type { RunEvent } from '../../src/core/events.ts';
import type { BatchId, Ledger } from '../../src/ledger/ledger.ts';
import type { RunContext } from '../../src/plan/context.ts';
import { chooseJob } from '../../src/run/choose.ts';
import { ProjectAccess } from '../../src/run/session.ts';
import { type OpenRun, Sessions } from '../../src/run/sessions.ts';

/** A run that is connected, and does nothing yet. */
export interface Connected {
  readonly run: OpenRun;
  readonly events: RunEvent[];
  /** What ended the run, if anything did. */
  stopped(): StopError | undefined;
}

/** Connects a run of the account, and closes it at the end of the test. */
export async function connect(
  ledger: Ledger,
  account: string,
  {
    batch = 'batch' as BatchId,
    sessions = new Sessions(),
    maxPauseMs = undefined as RunContext['maxPauseMs'],
  } = {},
): Promise<Connected> {
  const events: RunEvent[] = [];
  let stopped: StopError | undefined;
  const context: RunContext = {
    ...(await chooseJob({ job: 'enrich-company', entries: { account } })),
    ledger,
    maxPauseMs,
    clock: systemClock,
    inputPath: 'list.csv',
    sandboxFolder: 'nowhere',
    signal: new AbortController().signal,
    emit: (event) => void events.push(event),
  };
  const purpose = { batch, projects: new ProjectAccess([]) };
  const run = await sessions.open(context, purpose, context.signal, (error) => {
    stopped ??= error as StopError;
  });
  onTestFinished(() => run.close());
  return { run, events, stopped: () => stopped };
}
