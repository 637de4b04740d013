import { AsyncLocalStorage } from 'node:async_hooks'

/** The request that is being served, for the audit rows that it causes. `caller` is null until a credential was accepted. */
export type ActingRequest = {
  requestId: string
  address: string
  caller: { userId: string; apiKeyId: string | null } | null
}

const serving = new AsyncLocalStorage<{ request: ActingRequest | undefined }>()

/** Work that outlives the request, such as a turn, is not attributed to it. */
export async function serveAs<Result>(
  request: Omit<ActingRequest, 'caller'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const scope: { request: ActingRequest | undefined } = { request: { ...request, caller: null } }
  try {
    return await serving.run(scope, work)
  } finally {
    scope.request = undefined
  }
}

export function actingRequest(): ActingRequest | undefined {
  return serving.getStore()?.request
}

export function setActingCaller(caller: ActingRequest['caller']): void {
  const request = actingRequest()
  if (request !== undefined) request.caller = caller
}
