import { expect, test } from 'vitest'
import { type End, makeOwnSockets, type Socket } from './own-sockets.ts'

const endOf = (text: string): End => {
  const at = text.lastIndexOf(':')
  return { address: text.slice(0, at), port: Number(text.slice(at + 1)) }
}
const socket = (local: string, remote: string, more: Partial<Socket> = {}): Socket => ({
  local: endOf(local),
  remote: endOf(remote),
  state: 'established',
  inode: '0',
  ...more,
})
const listener = (local: string) => socket(local, '0.0.0.0:0', { state: 'listening' })

const guestPorts = [49_983]
const guest = { inode: 'guest' }
const ownOf = (sockets: Socket[]) => {
  const isOwn = makeOwnSockets(sockets, { isGuestInode: (inode) => inode === 'guest', guestPorts })
  return sockets.filter((one) => one.state !== 'listening').map(isOwn)
}

test('both ends of the guest’s own connections belong to threadbox, whichever family each has', () => {
  const tunnel = [
    listener('127.0.0.1:8000'),
    socket('127.0.0.1:8000', '127.0.0.1:50000'),
    socket('127.0.0.1:50000', '127.0.0.1:8000', guest),
    socket('::ffff:127.0.0.1:8001', '::ffff:127.0.0.1:50001'),
    socket('127.0.0.1:50001', '127.0.0.1:8001', guest),
  ]
  expect(ownOf(tunnel)).toEqual([true, true, true, true])
})

test('the gateway’s connections belong to threadbox; it is recognized by its connections to the guest', () => {
  const gateway = socket('198.18.64.6:49983', '198.18.64.5:40000', guest)
  const opened = socket('198.18.64.6:8001', '198.18.64.5:46636')
  expect(ownOf([listener('0.0.0.0:49983'), listener('0.0.0.0:8001'), gateway, opened])).toEqual([true, true])
  expect(ownOf([listener('0.0.0.0:8001'), opened])).toEqual([false])
})

test('connections of people’s programs are theirs: with each other, to the outside, and to a service at the gateway', () => {
  const theirs = [
    listener('127.0.0.1:8000'),
    socket('198.18.64.6:49983', '198.18.64.5:40000', guest),
    socket('127.0.0.1:8000', '127.0.0.1:50002'),
    socket('127.0.0.1:50002', '127.0.0.1:8000'),
    socket('198.18.64.6:50003', '192.0.2.1:443'),
    socket('198.18.64.6:50004', '198.18.64.5:53'),
  ]
  expect(ownOf(theirs)).toEqual([true, false, false, false, false])
})

test('if the guest is reached over loopback, no other connection counts as the gateway’s', () => {
  const asked = socket('127.0.0.1:49983', '127.0.0.1:40000', guest)
  expect(ownOf([listener('127.0.0.1:8000'), asked, socket('127.0.0.1:8000', '127.0.0.1:50000')])).toEqual([true, false])
})
