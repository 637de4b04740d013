import { readDescriptors, socketInode } from '../manifest/descriptors.ts'
import { readSocketTable } from '../manifest/sockets.ts'

/** A TCP port on which something listens, at one address. */
export type Listener = { address: string; port: number; inode: string }

/** Everything that listens in this sandbox, at whatever address. */
export function listListeners(): Listener[] {
  return readSocketTable('tcp')
    .filter(({ state }) => state === 'listening')
    .map(({ local, inode }) => ({ ...local, inode }))
}

/** Which of these processes holds a socket. */
export function holderOf(inode: string, pids: Iterable<number>): number | undefined {
  for (const pid of pids) {
    if (readDescriptors(pid)?.some((descriptor) => socketInode(descriptor) === inode) === true) return pid
  }
  return undefined
}

/** An address at which a listener can be reached from inside. */
export function reachableAddress(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1'
  if (address === '::') return '::1'
  return address
}
