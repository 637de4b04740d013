/** Pages that nobody is sent back to after signing in. */
const doorPaths = ['/login', '/setup']

/**
 * Where to go after signing in, out of the `return` parameter. Only a path of this app is followed: anything that a
 * browser could read as another address (`//host`, `/\host`, `https:`) leads to the start page.
 */
export function safeReturnPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(wanted)) return '/'
  const path = wanted.split(/[?#]/, 1)[0] ?? '/'
  return doorPaths.includes(path) ? '/' : wanted
}
