import { createHash, timingSafeEqual } from 'node:crypto'
import { defineError } from '@threadbox/errors'
import { guestInitSchema } from '@threadbox/protocol/guest'
import { z } from 'zod'

export const tokenWrong = defineError({
  code: 'guest.token-wrong',
  kind: 'unauthenticated',
  message: () => 'unauthorized access, please provide a valid access token or method signing if supported',
  remedy: () => 'Send the access token that the host set for this boot.',
})

export const initInvalid = defineError<{ problem: string }>({
  code: 'guest.init-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The handshake is not valid: ${problem}`,
  remedy: () => 'Send every field of the handshake.',
})

export type GuestSettings = z.output<typeof guestInitSchema>

/**
 * Settings from the host's handshake. Before the first handshake nothing is served: it contains the token that guards
 * the guest, and no user process exists yet that could send one first.
 */
export type GuestState = {
  /** True after the first handshake. */
  isReady(): boolean
  /** Throws `guest.token-wrong` before the first handshake. */
  settings(): GuestSettings
  /** Throws `guest.token-wrong` unless `presented` is the current token. */
  checkToken(presented: string | undefined): void
  /** Applies a handshake; every one but the first must present the current token. */
  apply(options: { body: unknown; presented: string | undefined }): GuestSettings
  /** Resets to the state before the first handshake. */
  forget(): void
  /** Called for the first handshake, and for later ones that change what programs start with. */
  onApplied(listener: (settings: GuestSettings) => void): void
}

export function makeGuestState(): GuestState {
  let current: GuestSettings | undefined
  const listeners: ((settings: GuestSettings) => void)[] = []
  const settings = () => {
    if (current === undefined) throw tokenWrong({})
    return current
  }
  const checkToken = (presented: string | undefined) => {
    if (presented === undefined || !sameText(presented, settings().accessToken)) throw tokenWrong({})
  }
  return {
    isReady: () => current !== undefined,
    settings,
    checkToken,
    apply({ body, presented }) {
      if (current !== undefined) checkToken(presented)
      const parsed = guestInitSchema.safeParse(body)
      if (!parsed.success) throw initInvalid({ problem: z.prettifyError(parsed.error) })
      const before = current
      current = parsed.data
      const isSame = before !== undefined && surroundings(before) === surroundings(current)
      if (!isSame) for (const listener of listeners) listener(current)
      return current
    },
    forget: () => {
      current = undefined
    },
    onApplied: (listener) => void listeners.push(listener),
  }
}

/** What programs start with. A handshake that only names a new boot or sets the clock keeps prepared shells. */
function surroundings({ envVars, defaultUser, defaultWorkdir, limits }: GuestSettings): string {
  return JSON.stringify([envVars, defaultUser, defaultWorkdir, limits])
}

/** Compares in a time that does not depend on where the texts differ. */
export function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(left), digest(right))
}
