import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { makeLogger } from '@threadbox/telemetry'
import { releaseHeap } from '../ground/heap.ts'
import type { FileServerOrder } from './file-servers.ts'
import { makeFilesServer } from './files-server.ts'

// One user's file server: a separate program, so that it loads none of the guest daemon's code while a request waits.
// It reads its order from standard input, reports on standard output that it listens, and prints nothing else.
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
