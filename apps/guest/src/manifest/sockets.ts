import { readFileSync } from 'node:fs'
import { isThreadboxFile, type Manifest } from '@threadbox/protocol/guest'
import { isLoopback, makeOwnSockets, nameOf as plainNameOf } from './own-sockets.ts'

type SocketRow = {
  protocol: 'tcp' | 'udp'
  local: { address: string; port: number }
  remote: { address: string; port: number }
  state: string
  inode: string
}
type UnixRow = { inode: string; path: string; isConnected: boolean }

/** States as the kernel numbers them in `/proc/net/tcp`. */
const tcpStates: Record<string, string> = {
  '01': 'established',
  '02': 'connecting',
  '03': 'accepting',
  '04': 'closing',
  '05': 'closing',
  '06': 'closed',
  '07': 'closed',
  '08': 'half-closed',
  '09': 'closing',
  '0A': 'listening',
  '0B': 'closing',
}
const openStates = new Set(['established', 'connecting', 'accepting', 'half-closed'])
const unixConnected = '03'

/** Listening ports and open connections. `ownerOf` returns a socket's owner; the guest's own are `guest`. */
export function readSockets(options: {
  ownerOf(inode: string): number | 'guest' | undefined
  /** Sockets of runtime processes, such as a kernel's own. */
  isRuntimeSocket(inode: string): boolean
  guestPorts: readonly number[]
}): Pick<Manifest, 'ports' | 'connections'> {
  const rows = [...readSocketTable('tcp'), ...readSocketTable('udp')]
  const isOwn = makeOwnSockets(
    rows.filter(({ protocol }) => protocol === 'tcp'),
    { isGuestInode: (inode) => options.ownerOf(inode) === 'guest', guestPorts: options.guestPorts },
  )
  const isThreadboxs = (row: SocketRow) =>
    row.protocol === 'tcp' ? isOwn(row) : options.ownerOf(row.inode) === 'guest'
  const ownerPid = (inode: string) => {
    const owner = options.ownerOf(inode)
    return typeof owner === 'number' ? owner : null
  }
  const users = rows.filter((row) => !isThreadboxs(row) && !options.isRuntimeSocket(row.inode))
  const ports = users.filter((row) => row.state === 'listening' || (row.protocol === 'udp' && row.remote.port === 0))
  const locals = new Set(rows.map((row) => plainNameOf(row.local)))
  const scopeOf = ({ remote }: SocketRow) =>
    isLoopback(remote.address) || locals.has(plainNameOf(remote)) ? ('inside' as const) : ('outside' as const)
  // Its other end is in the sandbox and already closed: no connection is left to keep.
  const hasClosedPeer = (row: SocketRow) =>
    row.state === 'half-closed' && scopeOf(row) === 'inside' && !locals.has(plainNameOf(row.remote))
  const open = users.filter((row) => row.protocol === 'tcp' && openStates.has(row.state) && !hasClosedPeer(row))
  const unix = readUnixTable().filter(
    (row) =>
      row.isConnected &&
      ownerPid(row.inode) !== null &&
      !options.isRuntimeSocket(row.inode) &&
      !isThreadboxFile(row.path),
  )
  return {
    ports: ports.map((row) => ({ protocol: row.protocol, ...row.local, pid: ownerPid(row.inode) })),
    connections: [
      ...open.map((row) => ({
        kind: 'tcp' as const,
        scope: scopeOf(row),
        local: nameOf(row.local),
        remote: nameOf(row.remote),
        state: row.state,
        pid: ownerPid(row.inode),
      })),
      ...unix.map((row) => ({
        kind: 'unix' as const,
        scope: 'inside' as const,
        local: row.path === '' ? `socket ${row.inode}` : row.path,
        remote: '',
        state: 'established',
        pid: ownerPid(row.inode),
      })),
    ],
  }
}

function nameOf(end: { address: string; port: number }): string {
  return end.address.includes(':') ? `[${end.address}]:${end.port}` : `${end.address}:${end.port}`
}

/** Sockets of both IP versions. */
export function readSocketTable(protocol: 'tcp' | 'udp'): SocketRow[] {
  return [protocol, `${protocol}6`].flatMap((name) => parseSocketTable(readText(`/proc/net/${name}`), protocol))
}

/** Rows of a table in the form of `/proc/net/tcp`. */
export function parseSocketTable(text: string, protocol: 'tcp' | 'udp'): SocketRow[] {
  return text.split('\n').flatMap((line) => {
    const [number, local, remote, state, , , , , , inode] = line.trim().split(/\s+/)
    if (!/^\d+:$/.test(number ?? '') || local === undefined || remote === undefined) return []
    const known = protocol === 'tcp' ? (tcpStates[state ?? ''] ?? 'closed') : 'bound'
    return [{ protocol, local: parseEnd(local), remote: parseEnd(remote), state: known, inode: inode ?? '' }]
  })
}

/** `0100007F:1F90` is 127.0.0.1:8080: each group of four bytes stands in the machine's byte order. */
function parseEnd(text: string): { address: string; port: number } {
  const [hex = '', port = '0'] = text.split(':')
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => [...Buffer.from(word, 'hex').reverse()])
  return { address: bytes.length === 4 ? bytes.join('.') : addressOf16(bytes), port: Number.parseInt(port, 16) }
}

function addressOf16(bytes: number[]): string {
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff) {
    return `::ffff:${bytes.slice(12).join('.')}`
  }
  const words = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  )
  return words.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::')
}

function readUnixTable(): UnixRow[] {
  return parseUnixTable(readText('/proc/net/unix'))
}

export function parseUnixTable(text: string): UnixRow[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\S+: \S+ \S+ \S+ \S+ (\S+)\s+(\d+)(?: (.*))?$/.exec(line.trim())
    if (match === null) return []
    return [{ inode: match[2] ?? '', path: match[3] ?? '', isConnected: match[1] === unixConnected }]
  })
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // A sandbox without IPv6 has no such table.
    return ''
  }
}
