import { expect, onTestFinished } from 'vitest';
import type { BatchDetail, BatchList } from '../../src/web/api.ts';
import { type Desk, openDesk } from '../cli/desk.ts';
import type { Ended } from '../cli/rowonce.ts';
import { type ErrorPage, Gateway } from '../faults/gateway.ts';
import { Served } from './served.ts';

/** A batch that is under way for as long as a test wants, however slow the machine is: its vendor answers when it is told to. */

/** What stands before a vendor: a request passes when the test has let so many through. */
export class Gate {
  /** With which everything is answered that passes; undefined: by the vendor. */
  page: ErrorPage | undefined;
  #allowed = 0;
  #waiting: (() => void)[] = [];

  constructor(gateway: Gateway) {
    gateway.weather = async (call) => {
      while (call > this.#allowed) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      return this.page;
    };
  }

  /** Lets so many more through; left out: all that ever come. */
  let(more = Number.POSITIVE_INFINITY): void {
    this.#allowed += more;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const goOn of waiting) goOn();
  }
}

export interface UnderWay {
  readonly desk: Desk;
  readonly served: Served;
  readonly gate: Gate;
  readonly batch: string;
  /** The end of the command. */
  readonly running: Promise<Ended>;
  detail(): Promise<BatchDetail>;
  /** Lets so many rows through, and waits until they are settled. */
  settle(more: number): Promise<void>;
}

/** A page beside a run of the command line, which asks for one row after the other and waits for its first answer. */
export async function underWay(rows: number): Promise<UnderWay> {
  const desk = await openDesk();
  desk.list(rows);
  const gateway = await Gateway.before(desk.place.vendor.url);
  onTestFinished(() => gateway[Symbol.asyncDispose]());
  const gate = new Gate(gateway);
  desk.place.writeAccount(gateway.url, { limits: { per_second: 2_000, concurrency: 1, timeout: '10m' } });
  const served = await Served.start([], { cwd: desk.place.folder, env: desk.environment() });
  onTestFinished(async () => void (await served.stop('SIGKILL')));
  const running = desk.start(desk.run());
  onTestFinished(async () => {
    gate.let();
    await running;
  });
  const ask = async <T>(path: string): Promise<T> => JSON.parse((await served.tool(path)).body);
  const newest = async (): Promise<string | undefined> =>
    (await ask<BatchList>('/api/batches')).batches[0]?.batch;
  await expect.poll(newest).toBeDefined();
  const batch = (await newest()) ?? '';
  const detail = () => ask<BatchDetail>(`/api/batches/${batch}`);
  await expect.poll(async () => (await detail()).running).toBe(true);
  const settle = async (more: number): Promise<void> => {
    const { settled } = await detail();
    gate.let(more);
    await expect.poll(async () => (await detail()).settled).toBe(settled + more);
  };
  return { desk, served, gate, batch, running, detail, settle };
}
