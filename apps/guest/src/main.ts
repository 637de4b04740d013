import { readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codePort, gitPort, guestPort, threadboxDirectories } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { startGuest } from './guest.ts'
import { findPrograms } from './launch/programs.ts'

const directory = dirname(process.argv[1] ?? '')
const logger = makeLogger({
  process: 'guest',
  level: process.env.THREADBOX_LOG_LEVEL ?? 'info',
  destination: { write: (line: string) => void writeSync(2, line) },
})

// The sandbox survives any failed request; the log has the reason.
process.on('uncaughtException', (error) => logger.error({ err: error }, 'uncaught exception'))
process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'))

serve().catch((error) => {
  logger.fatal({ err: error }, 'guest could not start')
  process.exit(1)
})

async function serve() {
  // Shown by `ps` and matched by `pkill`: a user's `pkill node` must not end the sandbox.
  process.title = 'threadbox-guest'
  process.on('SIGTERM', () => undefined)
  await startGuest({
    programs: findPrograms(directory),
    guestVersion: readVersion(),
    scratchDirectory: threadboxDirectories.scratch,
    stateDirectory: threadboxDirectories.state,
    ownsMachine: true,
    address: '0.0.0.0',
    ports: { guest: guestPort, code: codePort, git: gitPort },
    logger,
  })
}

function readVersion(): string {
  const manifest: { guestVersion?: string } = JSON.parse(readFileSync(join(directory, 'guest.json'), 'utf8'))
  return manifest.guestVersion ?? 'unknown'
}
