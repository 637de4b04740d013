/** Who could read along on the way: nobody (TLS), nobody (it never leaves the machine), or whoever is on the way. */
export type Reach = 'encrypted' | 'local' | 'open'

export function reachOf(page: URL): Reach {
  if (page.protocol === 'https:') return 'encrypted'
  return isLoopback(page.hostname) ? 'local' : 'open'
}

/** True for names that always mean the computer they are used on. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** The command that brings this address to another computer: the same port there, so that the same address works. */
export function tunnelCommand(page: URL): string {
  const port = page.port || (page.protocol === 'https:' ? '443' : '80')
  const server = isLoopback(page.hostname) ? 'user@server' : `user@${page.hostname}`
  return `ssh -L ${port}:127.0.0.1:${port} ${server}`
}
