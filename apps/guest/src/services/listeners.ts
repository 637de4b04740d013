import { readSocketTable } from '../manifest/sockets.ts'
import { readDescriptors, socketInode } from '../processes/descriptors.ts'

/** A TCP port with a listener, at one address. */
export type Listener = { address: string; port: number; inode: string }

/** All listeners in this sandbox, at any address. */
export function listListeners(): Listener[] {
  return readSocketTable('tcp')
    .filter(({ state }) => state === 'listening')
    .map(({ local, inode }) => ({ ...local, inode }))
}

/** Returns which of these processes holds a socket. */
export function holderOf(inode: string, pids: Iterable<number>): number | undefined {
  for (const pid of pids) {
    if (readDescriptors(pid)?.some((descriptor) => socketInode(descriptor) === inode) === true) return pid
  }
  return undefined
}

/**
 * Returns an address at which a listener can be reached from inside. A listener on `::` accepts both families, as in
 * Node by default, and a sandbox has no IPv6 address, not even `::1`.
 */
export function reachableAddress(address: string): string {
  return address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address
}
