interface Page {
  querySelector(of: string): { readonly content: string } | null;
}

const page = Reflect.get(globalThis, 'document') as Page | undefined;

/** What the program that serves this page is called where it was started, for commands that a person types there. */
export const program = page?.querySelector('meta[name="program"]')?.content ?? 'rowonce';
