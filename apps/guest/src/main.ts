import { once } from 'node:events'
import { readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { codePort, guestPort } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import type { FileServerOrder } from './files/file-servers.ts'
import { makeFilesServer } from './files/files-server.ts'
import { startGuest } from './guest.ts'
import { findPrograms } from './launch/programs.ts'

const directory = dirname(process.argv[1] ?? '')
// A file server's standard output only says that it listens.
const logger = makeLogger({
  process: 'guest',
  level: process.env.THREADBOX_LOG_LEVEL ?? 'info',
  destination: { write: (line: string) => void writeSync(2, line) },
})

// The sandbox lives on whatever goes wrong in one request; what it was is in the log.
process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'))
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'))

const main = process.argv[2] === 'files' ? serveFiles : serve
main().catch((error) => {
  logger.fatal({ err: error }, 'guest could not start')
  process.exit(1)
})

async function serve() {
  // What `ps` and `pkill` see: a user's `pkill node` must not end the sandbox.
  process.title = 'threadbox-guest'
  process.on('SIGTERM', () => undefined)
  await startGuest({
    programs: findPrograms(directory),
    guestVersion: readVersion(),
    scratchDirectory: '/dev/.threadbox',
    stateDirectory: '/var/lib/threadbox',
    ownsMachine: true,
    address: '0.0.0.0',
    ports: { guest: guestPort, code: codePort },
    logger,
  })
}

/** One user's file server: reads what it is to be from standard input, and says on standard output that it listens. */
async function serveFiles() {
  process.title = 'threadbox-files'
  process.umask(0o022)
  const input = createInterface({ input: process.stdin })
  const [line] = (await once(input, 'line')) as [string]
  input.once('close', () => process.exit())
  const order = JSON.parse(line) as FileServerOrder
  const server = makeFilesServer({ ...order, logger: logger.child({ process: 'guest-files' }) })
  server.listen(`\0${order.socketName}`, () => process.stdout.write('listening\n'))
}

function readVersion(): string {
  const manifest: { guestVersion?: string } = JSON.parse(readFileSync(join(directory, 'guest.json'), 'utf8'))
  return manifest.guestVersion ?? 'unknown'
}
