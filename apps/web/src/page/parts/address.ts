/**
 * Who could read the traffic: no other party (TLS), no other party (it never leaves the device), or anyone on the way.
 */
export type Reach = 'encrypted' | 'local' | 'open'

export function reachOf(page: URL): Reach {
  if (page.protocol === 'https:') return 'encrypted'
  return isLoopback(page.hostname) ? 'local' : 'open'
}

/** True for names that always mean the device they are used on. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}

/** The command that forwards this address to another device. It keeps the port, so that the same address works. */
export function tunnelCommand(page: URL): string {
  const port = page.port || (page.protocol === 'https:' ? '443' : '80')
  const server = isLoopback(page.hostname) ? 'user@server' : `user@${page.hostname}`
  return `ssh -L ${port}:127.0.0.1:${port} ${server}`
}
