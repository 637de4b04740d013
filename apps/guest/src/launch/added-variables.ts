import { guestPaths, variablesSchema } from '@threadbox/protocol/guest'
import { z } from 'zod'
import { initInvalid } from '../ground/guest-state.ts'
import { readJson, sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'

/**
 * Variables that programs start with in addition to the host’s, until the server sets others. They are in memory only,
 * and only this sandbox’s: a copy begins without them.
 */
export type AddedVariables = {
  routes: Route[]
  now(): Record<string, string>
  clear(): void
}

/** `onChanged`: what was prepared with other variables is no longer of use. */
export function makeAddedVariables({ onChanged }: { onChanged(): void }): AddedVariables {
  let current: Record<string, string> = {}
  const set = (variables: Record<string, string>) => {
    if (JSON.stringify(variables) === JSON.stringify(current)) return
    current = variables
    onChanged()
  }
  const route: Route = {
    method: 'PUT',
    path: guestPaths.variables,
    access: 'token',
    handle: async (request, response) => {
      const parsed = variablesSchema.safeParse(await readJson(request))
      if (!parsed.success) throw initInvalid({ problem: z.prettifyError(parsed.error) })
      set(parsed.data.variables)
      sendJson(response, { body: {} })
    },
  }
  return { routes: [route], now: () => current, clear: () => set({}) }
}
