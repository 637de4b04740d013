import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTestGuest, type TestGuest } from '../guest.test-utils.ts'
import { readCommandLine } from '../manifest/processes.ts'
import { sendSignal } from '../processes/process-family.ts'
import { listProcesses, type ProcessEntry } from '../processes/process-table.ts'
import { describeForRestart } from './process-rescue.ts'

let guest: TestGuest
beforeEach(async () => {
  guest = await startTestGuest()
  await guest.handshake()
})
afterEach(() => guest[Symbol.asyncDispose]())

test('a program that a command left behind can be started again, also if its shell changed the folder first', async () => {
  const seconds = `4988.${process.pid}`
  await guest.run(`mkdir -p app && cd app && sleep ${seconds} &`)
  const program = await startedWith(seconds)
  await expect
    .poll(() => describedSession(program), { timeout: 10_000 })
    .toMatchObject([{ pid: program.pid, commandLine: ['sleep', seconds], cwd: `${guest.directory}/app`, obstacle: '' }])
  sendSignal(program.pid, 'SIGTERM')
})

test('a loop that a command left behind cannot, and the program that it currently runs is a part of it', async () => {
  const seconds = `4989.${process.pid}`
  await guest.run(`(sleep 1.1; while true; do sleep ${seconds}; done) &`)
  const program = await startedWith(seconds)
  await expect
    .poll(() => describedSession(program), { timeout: 10_000 })
    .toMatchObject([{ pid: program.parent, obstacle: 'shell-part' }])
  for (const pid of [program.parent, program.pid]) sendSignal(pid, 'SIGTERM')
})

async function startedWith(argument: string): Promise<ProcessEntry> {
  const find = () => listProcesses().find(({ pid }) => readCommandLine(pid).includes(argument))
  await expect.poll(find, { timeout: 10_000 }).toBeDefined()
  const program = find()
  if (program === undefined) throw new Error('it has ended')
  return program
}

/** What can be started again of the program’s session. The shell’s own short-lived processes end between two readings. */
function describedSession(program: ProcessEntry) {
  const entries = listProcesses().filter(({ session }) => session === program.session)
  return describeForRestart(entries, { kernels: new Set(), terminals: new Set() }).told
}
