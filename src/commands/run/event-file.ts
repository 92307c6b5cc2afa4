import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { type Clock, isoTime } from '../../core/clock.ts';
import { stop } from '../../core/errors.ts';
import type { RunEvent } from '../../core/events.ts';
import { outputProblem } from '../../lib/atomic-file.ts';

/**
 * Writes one JSON line for each event of a run, for a program that watches or a person who asks afterwards.
 * The lines contain nothing from the input file and nothing from an answer: rows are numbers, and foreign
 * words stay out.
 */
export class EventFile {
  readonly #descriptor: number;
  readonly #clock: Clock;
  #isOpen = true;

  /**
   * Appends to a file.
   * @throws StopError `output` when it cannot be opened or does not begin with an event.
   */
  constructor(path: string, clock: Clock) {
    this.#clock = clock;
    try {
      this.#descriptor = openSync(path, 'a+', 0o600);
    } catch (error) {
      throw outputProblem(path, error, '--events');
    }
    if (beginsLikeOurs(this.#descriptor)) return;
    this.close();
    throw stop('output', `${path} holds no events, so none are added.`, 'Name another file with --events.');
  }

  /**
   * Writes at once, so that readers see each event, and a kill loses at most the line that is being written.
   */
  hear(event: RunEvent): void {
    const facts = factsOf(event);
    if (!this.#isOpen || facts === undefined) return;
    const line = JSON.stringify({ at: isoTime(this.#clock.wallMs()), event: event.kind, ...facts });
    try {
      writeSync(this.#descriptor, `${line}\n`);
    } catch {
      // A full disk must not end a run because of this file. The ledger reports a full disk itself.
      this.close();
    }
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      fsyncSync(this.#descriptor);
    } catch {
      // A pipe or a terminal keeps nothing, so there is nothing to sync.
    }
    closeSync(this.#descriptor);
  }
}

/**
 * Whether events may be appended: to a pipe or a terminal, an empty file, or a file that begins with an
 * event.
 */
function beginsLikeOurs(descriptor: number): boolean {
  const found = fstatSync(descriptor);
  if (!found.isFile() || found.size === 0) return true;
  const start = Buffer.alloc(LINE_START.length);
  readSync(descriptor, start, 0, start.length, 0);
  return start.toString() === LINE_START;
}

const LINE_START = '{"at":"';

/**
 * The facts of an event for a line. A note gets no line, because its sentence names files and columns. A
 * vendor's words and the identity of a call stay out as well.
 */
function factsOf(event: RunEvent): object | undefined {
  if (event.kind === 'note') return undefined;
  if (event.kind === 'paused') return { until: isoTime(event.untilMs), asked: event.asked };
  const facts = Object.entries(event).filter(([name]) => name !== 'kind' && name !== 'call');
  return Object.fromEntries(facts.map(([name, value]) => [snakeCase(name), value ?? null]));
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
