/** To which requests of others a person agreed. */
export const CONSENTS = '';
