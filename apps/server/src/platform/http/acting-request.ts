import { AsyncLocalStorage } from 'node:async_hooks'
import type { Action } from '@threadbox/domain'
import type { Caller } from './caller.ts'

/**
 * The request that is being served, for the audit rows that it causes and for the workspaces that its sender reaches.
 * `caller` is null until a credential was accepted.
 */
export type ActingRequest = {
  requestId: string
  address: string
  caller: Caller | null
}

type Scope = { request: Omit<ActingRequest, 'caller'> | undefined; caller: Caller | null; action: Action | null }

const serving = new AsyncLocalStorage<Scope>()

/** Work that outlives the request, such as a turn, is not attributed to it. */
export async function serveAs<Result>(
  request: Omit<ActingRequest, 'caller'>,
  work: () => Promise<Result>,
): Promise<Result> {
  return await within({ request, caller: null, action: null }, work)
}

/** Does what a caller asks for over a socket, where no request is being served. */
export async function actAs<Result>(
  { caller, action }: { caller: Caller; action: Action },
  work: () => Promise<Result>,
): Promise<Result> {
  return await within({ request: undefined, caller, action }, work)
}

async function within<Result>(scope: Scope, work: () => Promise<Result>): Promise<Result> {
  try {
    return await serving.run(scope, work)
  } finally {
    scope.request = undefined
    scope.caller = null
    scope.action = null
  }
}

export function actingRequest(): ActingRequest | undefined {
  const scope = serving.getStore()
  return scope?.request && { ...scope.request, caller: scope.caller }
}

/** Who asks for what is being done; null for work of the server itself. */
export function actingCaller(): Caller | null {
  return serving.getStore()?.caller ?? null
}

/** Throws outside of `serveAs`: without it, the limits of the caller would not be known further down. */
export function setActingCaller(caller: Caller): void {
  const scope = serving.getStore()
  if (scope === undefined) throw new Error('A caller was accepted outside of a request.')
  scope.caller = caller
}

/** What the request’s route does, which decides the role that its sender needs; null for work of the server itself. */
export function actingAction(): Action | null {
  return serving.getStore()?.action ?? null
}

/** Set by each route before anything of the request is read. */
export function setActingAction(action: Action): void {
  const scope = serving.getStore()
  if (scope !== undefined) scope.action = action
}
