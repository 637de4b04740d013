/** Why a connection failed, by permanent code. The app translates these by code. */
export const problemWords = {
  'hostname-unknown': 'the hostname doesn’t exist.',
  'hostname-unresolved': 'the hostname couldn’t be resolved.',
  'connection-refused': 'the connection was refused.',
  'connection-lost': 'the connection was lost.',
  'no-route': 'there’s no route to the host.',
  'timed-out': 'it timed out.',
  'certificate-expired': 'its certificate has expired.',
  'certificate-self-signed': 'its certificate is self-signed.',
  'certificate-unverified': 'its certificate can’t be verified.',
  'certificate-other-host': 'its certificate is for a different hostname.',
  'headers-too-large': 'its response headers are too large.',
  'response-too-large': 'its response is too large.',
  'connection-failed': 'the connection failed ({systemCode}).',
  'not-json': 'it is not valid JSON.',
  'other-schema': 'it doesn’t match the MCP schema.',
  'unsupported-feature': 'it requires a feature that threadbox doesn’t support.',
  'endless-tools': 'its list of tools never ends.',
  'too-many-messages': 'it sends too many unsolicited messages.',
  'connection-removed': 'the connection no longer exists.',
  'connection-changed': 'the connection changed during sign-in.',
  'metadata-too-large': 'the authorization server’s metadata is too large.',
  'metadata-unusable': 'the servers’ OAuth metadata isn’t usable.',
  'no-token': 'the authorization server returned no token.',
  'no-code': 'the authorization server sent no code.',
  'other-authorization-server': 'its authorization server has changed. Enter the client details again.',
  'sign-in-not-open': 'the sign-in was started by someone else, has expired, or was already completed.',
  'no-registration':
    'its server doesn’t support dynamic client registration. Register a client there and enter its ID.',
  'authorization-error': 'the authorization server returned: {answer}',
} as const
export type ProblemCode = keyof typeof problemWords

/** The details of an error: the problem in words, and its code. `detail` is a system's code or a server's own text. */
export function problemOf(code: ProblemCode, detail = '') {
  const problem = problemWords[code].replace(/\{\w+\}/, () => detail)
  return {
    problem,
    problemCode: code,
    ...(code === 'connection-failed' && { systemCode: detail }),
    ...(code === 'authorization-error' && { answer: detail }),
  }
}
