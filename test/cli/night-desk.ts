import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { domainsOf, type WorkplaceOptions } from '../faults/workplace.ts';
import { type Desk, type JsonResult, objectIn, openDesk } from './desk.ts';

const JOB = {
  name: 'night.yaml',
  inbox: 'inbox',
  operation: 'enrich-company',
  account: 'data',
  budget: 1000,
};

/** A desk with a job `night.yaml` whose inbox is the folder `inbox`, and sweeps of it. */

export interface Night {
  readonly code: number | null;
  /** The object of `--json`. */
  readonly said: JsonResult;
  readonly stderr: string;
}

export class NightDesk {
  readonly desk: Desk;

  constructor(desk: Desk) {
    this.desk = desk;
  }

  /** More keys of the job, as `refresh_after: 30d`. */
  writeJob(more = '', of: Partial<typeof JOB> = {}): void {
    const { name, inbox, operation, account, budget } = { ...JOB, ...of };
    mkdirSync(this.desk.place.path(inbox), { recursive: true });
    const lines = [`operation: ${operation}`, `account: ${account}`, `inbox: ./${inbox}`, more];
    if (budget > 0) lines.push(`budget: { credits: ${budget} }`);
    writeFileSync(this.desk.place.path(name), `${lines.join('\n')}\n`);
  }

  /** A list of as many domains of that name, put into the inbox an hour ago under the name of a file. */
  drop(file: string, name: string, count: number, inbox = 'inbox'): void {
    this.dropList(file, domainsOf(name, count), inbox);
  }

  dropList(file: string, domains: readonly string[], inbox = 'inbox'): void {
    const path = join(inbox, file);
    this.desk.place.writeList(domains, path);
    this.age(path);
  }

  /** Anything else that was put there an hour ago. */
  dropFile(file: string, content: string): void {
    const path = join('inbox', file);
    writeFileSync(this.desk.place.path(path), content);
    this.age(path);
  }

  /** A file that no one has touched for an hour, so that a sweep need not wait and look twice. */
  age(path: string): void {
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(this.desk.place.path(path), hourAgo, hourAgo);
  }

  /** One sweep. */
  async night(...more: readonly string[]): Promise<Night> {
    return this.sweep(['night.yaml', ...more]);
  }

  async sweep(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Night> {
    const { code, stdout, stderr } = await this.desk.type(['nightly', ...words, '--json'], { env });
    return { code, said: objectIn(stdout), stderr };
  }

  /** What stands in the inbox and in its `done`, but for reports. */
  files(inbox = 'inbox'): { readonly inbox: readonly string[]; readonly done: readonly string[] } {
    const namesIn = (folder: string): readonly string[] =>
      existsSync(folder)
        ? readdirSync(folder)
            .filter((name) => name !== 'done' && !name.endsWith('.report.html'))
            .sort()
        : [];
    const path = this.desk.place.path(inbox);
    return { inbox: namesIn(path), done: namesIn(join(path, 'done')) };
  }
}

export async function openNightDesk(options: WorkplaceOptions = {}): Promise<NightDesk> {
  const nights = new NightDesk(await openDesk(options));
  nights.writeJob();
  return nights;
}
