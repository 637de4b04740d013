import { cookieValues } from '../../platform/http/cookies.logic.ts'

/** The cookie that binds a sign-in at a provider to the browser that started it. One at a time: a new start replaces it. */
export type LoginCookie = {
  set(value: string): string
  /** Removes it. */
  clear(): string
  /** Those that the browser sent: a preview’s page can plant some of this name over plain HTTP. */
  read(header: string | null): string[]
}

/** `SameSite=Lax`: the browser comes back from another site. */
export function makeLoginCookie(options: { installation: string; isSecure: boolean; lifetimeMs: number }): LoginCookie {
  const { isSecure } = options
  const name = `${isSecure ? '__Host-' : ''}threadbox-login-${options.installation}`
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    set: (value) => `${name}=${value}; Max-Age=${options.lifetimeMs / 1000}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
    read: (header) => cookieValues(header ?? '', name).slice(0, 8),
  }
}
