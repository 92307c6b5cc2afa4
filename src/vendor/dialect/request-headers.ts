import { z } from 'zod';

/** Which headers a dialect may name, and which of them it may set in requests. */

/** Header names in lower case, in which they are compared. */
export const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'this is not the name of a header')
  .transform((name) => name.toLowerCase());

/** Headers that the transport sets itself; another value would break the request, or send it twice. */
const OUR_HEADERS =
  /^(?:accept-encoding|connection|content-length|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/;

/**
 * Headers by which servers and gateways take a request for another one: for another method, path or host, or for one of
 * another person. A user who agrees to a method and a path agrees to what is done.
 */
const MISLEADING_HEADERS =
  /^(?:cookie2?|forwarded|via|base-url|(?:x-)?(?:http-)?method(?:-override)?|x-(?:original|rewrite|override|envoy-original|forwarded|proxy)(?:-.*)?|(?:x-)?host|(?:x-)?remote-.*|(?:x-)?(?:[a-z-]+-)?(?:real|client|connecting|originating)-ip)$/;

/** As a server reads a name: many of them take an underscore for a hyphen. */
const asRead = (name: string): string => name.replaceAll('_', '-');

/** The name of a header that a dialect may set in requests. */
export const requestHeader = headerName
  .refine((name) => !OUR_HEADERS.test(asRead(name)), { error: 'this header is set by Rowonce itself' })
  .refine((name) => !MISLEADING_HEADERS.test(asRead(name)), {
    error: 'it says that a request is another one, or of another person',
  });

/** Headers of requests. A character outside of ASCII, or a line end, could not be sent. */
export const requestHeaders = z.record(
  requestHeader,
  z.string().regex(/^[\x20-\x7e]*$/, 'a header holds only letters, digits and signs of ASCII'),
);
