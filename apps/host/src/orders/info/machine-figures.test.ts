import { expect, test } from 'vitest'
import { busySecondsIn, heldBytes, uplinkIn } from './machine-figures.ts'

test('memory of boots counts as that of a sandbox, a frozen one or a spare', () => {
  const boot = (bootId: string, memoryBytes: number | null) =>
    ({ bootId, sandboxId: `s-${bootId}`, state: 'running', pid: 1, memoryBytes }) as const
  const running = [boot('awake', 10), boot('paused', 20), boot('spare', 40), boot('unread', null)]
  const ended = { bootId: 'ended', sandboxId: 's', state: 'ended', cause: 'stopped', detail: '' } as const
  const current = [
    { driverBootId: 'awake', state: 'ready' },
    { driverBootId: 'paused', state: 'paused' },
    { driverBootId: 'unread', state: 'waking' },
  ] as const
  expect(heldBytes([...running, ended], current)).toEqual({ sandboxesBytes: 10, frozenBytes: 20, sparesBytes: 40 })
})

test('processor time leaves out idle time and waiting for a disk', () => {
  expect(busySecondsIn('cpu  100 200 300 99999 88888 10 20 70 5 5\ncpu0 1 2 3 4\n')).toBe(7)
})

test('network counters are those of the link to the machine, and none in another namespace', () => {
  const heading = 'Inter-|   Receive      |  Transmit\n face |bytes    packets errs\n'
  const link = (name: string, received: number, sent: number) =>
    `${name}: ${received}     7    0    0    0     0          0         0  ${sent}      9    0    0    0     0       0          0\n`
  const text = `${heading}    lo${link('', 1, 1).slice(0)}${link('uplink', 5000, 700)}`
  expect(uplinkIn(text)).toEqual({ receivedBytes: 5000, sentBytes: 700 })
  expect(uplinkIn(`${heading}${link('eth0', 5, 6)}`)).toBeNull()
})
