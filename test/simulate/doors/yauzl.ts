/** Lists of a world are CSV, so no file in it is a workbook; the library would read each in a thread to find that out. */
export * from 'yauzl';

export const openPromise = (): Promise<never> => Promise.reject(new Error('no workbook'));
