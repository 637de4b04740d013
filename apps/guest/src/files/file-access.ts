import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { defineError } from '@threadbox/errors'
import { accessTokenHeader } from '@threadbox/protocol/guest'
import { type GuestState, sameText, tokenWrong } from '../ground/guest-state.ts'
import { headerOf } from '../ground/server.ts'

export const signatureExpired = defineError({
  code: 'file.signature-expired',
  kind: 'unauthenticated',
  message: () => 'signature is already expired',
  remedy: () => 'Ask for a new address.',
})

/**
 * Accepts a file request that carries the access token, or a signature made with it over path, direction, user and
 * expiry (E2B's signed URLs). Throws `guest.token-wrong` or `file.signature-expired`.
 */
export function checkFileAccess(
  request: IncomingMessage,
  options: { state: GuestState; query: URLSearchParams; nowSeconds: number },
) {
  const { state, query } = options
  const signature = query.get('signature')
  const presented = headerOf(request, accessTokenHeader)
  if (presented !== undefined || signature === null) return state.checkToken(presented)
  const expiration = query.get('signature_expiration')
  const expected = signFile({
    path: query.get('path') ?? '',
    operation: request.method === 'GET' ? 'read' : 'write',
    userName: query.get('username') ?? '',
    accessToken: state.settings().accessToken,
    expiration,
  })
  if (!sameText(signature, expected)) throw tokenWrong({})
  if (expiration !== null && !(Number(expiration) > options.nowSeconds)) throw signatureExpired({})
}

export function signFile(options: {
  path: string
  operation: 'read' | 'write'
  userName: string
  accessToken: string
  expiration: string | null
}): string {
  const { path, operation, userName, accessToken, expiration } = options
  const parts = [path, operation, userName, accessToken, ...(expiration === null ? [] : [expiration])]
  return `v1_${createHash('sha256').update(parts.join(':')).digest('base64').replaceAll('=', '')}`
}
