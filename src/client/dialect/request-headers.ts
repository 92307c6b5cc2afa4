import { z } from 'zod';
import { isMisleadingHeader } from '../../lib/misleading-names.ts';

/** Header names in lower case, in which they are compared. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'this is not a valid name for a header')
  .transform((name) => name.toLowerCase());

/** Headers that the transport sets itself; another value would break the request, or send it twice. */
const OUR_HEADERS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

/** The name of a header that a dialect may set in requests. */
export const requestHeader = headerName
  .refine((name) => !OUR_HEADERS.test(name.replaceAll('_', '-')), {
    error: 'this header is set by Rowonce itself',
  })
  .refine((name) => !isMisleadingHeader(name), {
    error: "it would make the request another kind, or another person's",
  });

/** Headers of requests. A character outside of ASCII, or a line end, could not be sent. */
export const requestHeaders = z.record(
  requestHeader,
  z.string().regex(/^[\x20-\x7e]*$/, 'a header can have only ASCII letters, digits and signs'),
);
