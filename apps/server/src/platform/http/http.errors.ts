import { defineError } from '@threadbox/errors'

/** `fields` and `sentences` are the two parts of each of `problems`; a problem of the whole request has no field. */
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
  message: ({ problems }) => `The request is not valid: ${problems.join('; ')}`,
  remedy: () => 'Correct these fields and send it again. See /api/v1/openapi.json for the schema.',
})

export const requestNotJson = defineError({
  code: 'request.not-json',
  kind: 'invalid',
  message: () => 'The request body is not valid JSON.',
  remedy: () => 'Send a UTF-8 JSON body with the header `content-type: application/json`.',
})

export const requestNotText = defineError({
  code: 'request.not-text',
  kind: 'invalid',
  message: () =>
    'The request contains bytes or characters that aren’t text: invalid UTF-8, a NUL, or an unpaired surrogate.',
  remedy: () => 'Send UTF-8 text without NUL characters. Upload other content as a file.',
})

export const requestTooLarge = defineError<{ limitBytes: number }>({
  code: 'request.too-large',
  kind: 'too-large',
  message: ({ limitBytes }) => `The request body is larger than ${limitBytes} bytes.`,
  remedy: () => 'Send less at a time, or upload large content as a file.',
})

export const routeNotFound = defineError({
  code: 'route.not-found',
  kind: 'not-found',
  message: () => 'The API has no such route.',
  remedy: () => 'See /api/v1/openapi.json for the available routes.',
})

export const hostRefused = defineError<{ host: string }>({
  code: 'request.host-refused',
  kind: 'forbidden',
  message: ({ host }) => `This installation doesn’t serve the host name ${host}.`,
  remedy: () => 'Open it under its own name, or add this name with `--host` or `--domain`.',
})

export const originRefused = defineError({
  code: 'request.origin-refused',
  kind: 'forbidden',
  message: () => 'The request came from another website, so it was rejected.',
  remedy: () => 'Use the app itself, or an API key for programs.',
})

export const cursorInvalid = defineError({
  code: 'request.cursor-invalid',
  kind: 'invalid',
  message: () => 'The cursor is not valid.',
  remedy: () => 'Start without a cursor, then pass `next` back unchanged.',
})
