/**
 * The kind of an error. The kind alone decides the HTTP status, the CLI exit code and whether retrying the same call
 * can help; the code identifies the problem.
 */
export const errorKinds = {
  'not-found': { httpStatus: 404, exitCode: 4, retryable: false },
  conflict: { httpStatus: 409, exitCode: 5, retryable: false },
  invalid: { httpStatus: 400, exitCode: 2, retryable: false },
  'too-large': { httpStatus: 413, exitCode: 2, retryable: false },
  unauthenticated: { httpStatus: 401, exitCode: 3, retryable: false },
  forbidden: { httpStatus: 403, exitCode: 3, retryable: false },
  exhausted: { httpStatus: 429, exitCode: 6, retryable: true },
  'out-of-space': { httpStatus: 507, exitCode: 6, retryable: false },
  unavailable: { httpStatus: 503, exitCode: 7, retryable: true },
  interrupted: { httpStatus: 502, exitCode: 7, retryable: true },
  unsupported: { httpStatus: 501, exitCode: 2, retryable: false },
  internal: { httpStatus: 500, exitCode: 1, retryable: false },
} as const satisfies Record<string, { httpStatus: number; exitCode: number; retryable: boolean }>

export type ErrorKind = keyof typeof errorKinds
