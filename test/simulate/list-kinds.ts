/** Lists of each operation of a vendor of data: the job, the rows, what they ask, and what of an answer they show. */
import fc, { type Arbitrary } from 'fast-check';
import type { Facts } from './vendor.ts';
import { companyRow, JOB } from './workplace.ts';

/** A row of an output, by the names of its columns. */
export type Row = Readonly<Record<string, string>>;

export interface ListKind {
  readonly name: string;
  readonly job: string;
  readonly header: string;
  /** A line of the list; the same for the same number. */
  row(number: number): string;
  /** What a row asks, by the names of `_matched_by`, as the vendor's book has it. */
  keysOf(row: Row): Readonly<Record<string, string>>;
  /** What a row shows of an answer; blank: nothing. */
  shownIn(row: Row): string;
  /** The same by the answer itself. */
  shownOf(facts: Facts): string;
}

export const companies: ListKind = {
  name: 'companies',
  job: JOB,
  header: 'ABN,Site',
  row: companyRow,
  keysOf: ({ ABN: abn = '', Site }) => ({
    abn: `/enrich/company ${JSON.stringify({ abn })}`,
    domain: `/enrich/company ${JSON.stringify({ domain: new URL(Site ?? '').hostname })}`,
  }),
  shownIn: ({ employees = '' }) => employees,
  shownOf: ({ employee_count }) => String(employee_count),
};

const person: ListKind = {
  name: 'people',
  job: 'operation: enrich-person\naccount: data\ncolumns: { email: Email }\nadd: { name: full_name }\n',
  header: 'Email',
  row: (number) => `p${number}@s${number % 5}.example.com\n`,
  keysOf: ({ Email: email = '' }) => ({ email: `/enrich/person ${JSON.stringify({ email })}` }),
  shownIn: ({ name = '' }) => name,
  shownOf: ({ full_name }) => String(full_name),
};

const search: ListKind = {
  name: 'searches',
  job: 'operation: search-people\naccount: data\ncolumns: { company: Company }\n',
  header: 'Company',
  row: (number) => `Company ${number}\n`,
  keysOf: (row) => ({ company: `/search/people ${JSON.stringify({ company: row.Company })}` }),
  shownIn: ({ _status, _reason = '' }) => (_status === 'matched' ? _reason : ''),
  shownOf: ({ results = [] }) => {
    const { length } = results as readonly object[];
    return length === 1 ? '1 person' : `${length} people`;
  },
};

/** Shrinks towards companies. */
export const listKinds: Arbitrary<ListKind> = fc.constantFrom(companies, companies, person, search);
