import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { makeLogger } from '@threadbox/telemetry'
import { releaseHeap } from '../ground/heap.ts'
import type { FileServerOrder } from './file-servers.ts'
import { makeFilesServer } from './files-server.ts'

// One user's file server: a program of its own, so that it loads nothing of the guest daemon's while somebody waits.
// It reads what it is to be from standard input, and says on standard output that it listens, and nothing else.
const logger = makeLogger({
  process: 'guest-files',
  level: process.env.THREADBOX_LOG_LEVEL ?? 'info',
  destination: { write: (line: string) => void writeSync(2, line) },
})

process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'))
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'))
process.title = 'threadbox-files'
process.umask(0o022)

const input = createInterface({ input: process.stdin })
input.once('close', () => process.exit())
input.once('line', (line) => {
  const order = JSON.parse(line) as FileServerOrder
  const server = makeFilesServer({ ...order, logger })
  server.listen(`\0${order.socketName}`, () => {
    process.stdout.write('listening\n')
    releaseHeap()
  })
})
