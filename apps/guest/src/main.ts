import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codePort, guestPort } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { startGuest } from './guest.ts'
import { findPrograms } from './launch/programs.ts'

// What `ps` and `pkill` see: a user's `pkill node` must not end the sandbox.
process.title = 'threadbox-guest'
const directory = dirname(process.argv[1] ?? '')
const logger = makeLogger({ process: 'guest', level: process.env.THREADBOX_LOG_LEVEL ?? 'info' })

// The sandbox lives on whatever goes wrong in one request; what it was is in the log.
process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'))
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'))
process.on('SIGTERM', () => undefined)

startGuest({
  programs: findPrograms(directory),
  guestVersion: readVersion(),
  scratchDirectory: '/dev/.threadbox',
  stateDirectory: '/var/lib/threadbox',
  address: '0.0.0.0',
  ports: { guest: guestPort, code: codePort },
  logger,
}).catch((error) => {
  logger.fatal({ err: error }, 'guest could not start')
  process.exitCode = 1
})

function readVersion(): string {
  const manifest: { guestVersion?: string } = JSON.parse(readFileSync(join(directory, 'guest.json'), 'utf8'))
  return manifest.guestVersion ?? 'unknown'
}
