import { defineError } from '@threadbox/errors'

/** `fields` and `sentences` are the two parts of each of `problems`; a problem of the request as a whole has no field. */
type RequestProblems = { problems: string[]; fields: string[]; sentences: string[] }

export function requestProblems(found: readonly [field: string, sentence: string][]): RequestProblems {
  return {
    problems: found.map(([field, sentence]) => (field === '' ? sentence : `${field}: ${sentence}`)),
    fields: found.map(([field]) => field),
    sentences: found.map(([, sentence]) => sentence),
  }
}

export const requestInvalid = defineError<RequestProblems>({
  code: 'request.invalid',
  kind: 'invalid',
  message: ({ problems }) => `The request cannot be used: ${problems.join('; ')}`,
  remedy: () => 'Correct the named fields and send it again. The fields are described in /api/v1/openapi.json.',
})

export const requestNotJson = defineError({
  code: 'request.not-json',
  kind: 'invalid',
  message: () => 'The body of the request is not valid JSON.',
  remedy: () => 'Send a JSON body in UTF-8 with the header `content-type: application/json`.',
})

export const requestNotText = defineError({
  code: 'request.not-text',
  kind: 'invalid',
  message: () => 'The request holds bytes or characters that are not text: not UTF-8, a NUL, or half of a character.',
  remedy: () => 'Send UTF-8 text without NUL characters. Other content belongs into a file.',
})

export const requestTooLarge = defineError<{ limitBytes: number }>({
  code: 'request.too-large',
  kind: 'too-large',
  message: ({ limitBytes }) => `The body of the request is larger than ${limitBytes} bytes.`,
  remedy: () => 'Send less at once; large content can be uploaded as a file.',
})

export const routeNotFound = defineError({
  code: 'route.not-found',
  kind: 'not-found',
  message: () => 'The API has nothing at this address.',
  remedy: () => 'Look up the address in /api/v1/openapi.json.',
})

export const hostRefused = defineError<{ host: string }>({
  code: 'request.host-refused',
  kind: 'forbidden',
  message: ({ host }) => `This installation does not answer under the name ${host}.`,
  remedy: () => 'Open it under its own name, or start it with `--host` or `--domain` to give it this one.',
})

export const originRefused = defineError({
  code: 'request.origin-refused',
  kind: 'forbidden',
  message: () => 'The request came from a page that is not this app, so it was not carried out.',
  remedy: () => 'Use the app itself, or an API key for programs.',
})

export const cursorInvalid = defineError({
  code: 'request.cursor-invalid',
  kind: 'invalid',
  message: () => 'The cursor is not one that this API gave out.',
  remedy: () => 'Begin without a cursor, and pass on `next` as it is.',
})
