export type End = { address: string; port: number }
export type Socket = { local: End; remote: End; state: string; inode: string }

/**
 * Tells which connections belong to threadbox: those of the guest, those whose other end is the guest's (a tunnel of
 * the gateway, a check whether a service responds), and those that the gateway itself has opened to a port in the
 * sandbox. Nothing else on the machine can open one, so the gateway is recognized by its connections to the guest.
 */
export function makeOwnSockets(
  sockets: readonly Socket[],
  known: { isGuestInode(inode: string): boolean; guestPorts: readonly number[] },
): (socket: Socket) => boolean {
  const isGuests = ({ inode, local }: Socket) => known.isGuestInode(inode) || known.guestPorts.includes(local.port)
  const guestEnds = new Set(sockets.filter(isGuests).map(({ local, remote }) => `${nameOf(local)} ${nameOf(remote)}`))
  const gateways = new Set(
    sockets
      .filter(({ local, remote }) => known.guestPorts.includes(local.port) && remote.port !== 0)
      .map(({ remote }) => plainAddress(remote.address))
      .filter((address) => !isLoopback(address)),
  )
  const listening = new Set(sockets.filter(({ state }) => state === 'listening').map(({ local }) => local.port))
  return (socket) =>
    isGuests(socket) ||
    guestEnds.has(`${nameOf(socket.remote)} ${nameOf(socket.local)}`) ||
    (gateways.has(plainAddress(socket.remote.address)) && listening.has(socket.local.port))
}

/** Returns an IPv4 address also if a socket of the other family has it. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}

export function isLoopback(address: string): boolean {
  return plainAddress(address).startsWith('127.') || address === '::1'
}

/** Returns the same name for both ends of a connection, whichever family each has. */
export function nameOf({ address, port }: End): string {
  return `${plainAddress(address)} ${port}`
}
