import { type ErrorKind, errorKinds } from './kinds.ts'

/** Extra facts about one error, safe to show to the user who caused it. Never a secret, never a stack trace. */
export type ErrorDetails = Record<string, string | number | boolean | null | string[]>

/**
 * Every error that threadbox throws on purpose. `code` is permanent (`noun.problem`); `message` says what happened and
 * why; `remedy` says what to do. Recognize one with {@link isThreadboxError}, which also works across copies of this
 * package (bundles), never by `instanceof` and never by the text.
 */
export class ThreadboxError extends Error {
  readonly isThreadboxError = true
  readonly code: string
  readonly kind: ErrorKind
  readonly remedy: string
  readonly details: ErrorDetails

  constructor(options: {
    code: string
    kind: ErrorKind
    message: string
    remedy: string
    details?: ErrorDetails
    cause?: unknown
  }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ThreadboxError'
    this.code = options.code
    this.kind = options.kind
    this.remedy = options.remedy
    this.details = options.details ?? {}
  }
}

export function isThreadboxError(value: unknown): value is ThreadboxError {
  return value instanceof Error && (value as Partial<ThreadboxError>).isThreadboxError === true
}

/** True if `value` is an error of `definition`: the only way for code to distinguish errors. */
export function isErrorOf(definition: { code: string }, value: unknown): value is ThreadboxError {
  return isThreadboxError(value) && value.code === definition.code
}

/** The result of {@link defineError}: call it to create the error; tables and docs read `code` and `kind`. */
export type ErrorDefinition<Details extends ErrorDetails> = {
  (details: Details, options?: { cause?: unknown }): ThreadboxError
  readonly code: string
  readonly kind: ErrorKind
}

/**
 * Declares one error next to the feature it belongs to. Message and remedy are written as functions of the details, so
 * that a message can name the thing.
 *
 * @example
 * export const threadNotFound = defineError({
 *   code: 'thread.not-found', kind: 'not-found',
 *   message: () => 'Thread not found.',
 *   remedy: () => 'Check the address, or open the thread from the sidebar.',
 * })
 * throw threadNotFound({})
 */
export function defineError<Details extends ErrorDetails = Record<string, never>>(definition: {
  code: `${string}.${string}`
  kind: ErrorKind
  message: (details: Details) => string
  remedy: (details: Details) => string
}): ErrorDefinition<Details> {
  const make = (details: Details, options?: { cause?: unknown }) =>
    new ThreadboxError({
      code: definition.code,
      kind: definition.kind,
      message: definition.message(details),
      remedy: definition.remedy(details),
      details,
      ...(options?.cause === undefined ? {} : { cause: options.cause }),
    })
  return Object.assign(make, { code: definition.code, kind: definition.kind })
}

/** HTTP status of an error; 500 for anything that is not a ThreadboxError. */
export function httpStatusOf(error: unknown): number {
  return errorKinds[isThreadboxError(error) ? error.kind : 'internal'].httpStatus
}

/** Process exit code of an error. */
export function exitCodeOf(error: unknown): number {
  return errorKinds[isThreadboxError(error) ? error.kind : 'internal'].exitCode
}
