/** Pages that signing in never returns to. */
const signInPaths = ['/login', '/setup']

/**
 * The path to open after signing in, from the `return` parameter. Only paths of this app are accepted: anything that a
 * browser could read as another address (`//host`, `/\host`, `https:`) leads to the start page.
 */
export function safeReturnPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return '/'
  const path = wanted.split(/[?#]/, 1)[0] ?? '/'
  return signInPaths.includes(path) ? '/' : wanted
}
