import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { memoryEnvironment, memoryOptions } from '@threadbox/config'
import { type Installation, readInstallation } from '../installation/data-directory.ts'
import { identify, removeProcessRecord, writeProcessRecord } from '../installation/process-record.ts'
import { stopSandboxes } from '../installation/stop-sandboxes.ts'
import { rotateLogs } from './rotate-log.ts'
import { SupervisedProgram } from './supervised-program.ts'

/**
 * Keeps host daemon and server of one installation running. SIGTERM or SIGINT: stops the server, then the host daemon
 * with its sandboxes, and exits with 0. SIGHUP: stops both daemons but leaves the sandboxes, and exits with 75, so that
 * the process that started the supervisor starts it again from the current release.
 */
const exitForRestart = 75
const rotationIntervalMs = 60_000
const hostGraceMs = 20_000
const serverGraceMs = 15_000

const machine = [/^(PATH|LANG|LC_ALL|TZ|(HTTPS?|NO)_PROXY|(https?|no)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/]
const modelKeys = /^[A-Z_]+_API_KEY$/

/** SIGUSR1 would open a debugger to every program of this machine; deploy/launcher starts Node with the same options. */
const nodeOptions = ['--enable-source-maps', '--disable-sigusr1', ...memoryOptions]

const { values } = parseArgs({ options: { 'data-dir': { type: 'string' } } })
const installation = readInstallation(values['data-dir'] ?? '/var/lib/threadbox')
const own = identify(process.pid)
if (own) writeProcessRecord(installation.record('supervisor'), own)

const host = new SupervisedProgram(program(installation, 'host'))
const server = new SupervisedProgram({ ...program(installation, 'server'), ...serverUser(installation) })
host.run()
server.run()

const rotation = setInterval(async () => {
  for (const failure of await rotateLogs(installation)) report('couldn’t rotate a log', failure)
}, rotationIntervalMs)

let ending: Promise<void> | undefined
process.on('SIGTERM', () => (ending ??= end({ withSandboxes: true, exitCode: 0 })))
process.on('SIGINT', () => (ending ??= end({ withSandboxes: true, exitCode: 0 })))
process.on('SIGHUP', () => (ending ??= end({ withSandboxes: false, exitCode: exitForRestart })))

async function end(options: { withSandboxes: boolean; exitCode: number }): Promise<void> {
  clearInterval(rotation)
  report('stopping', options)
  await server.stop({ signal: 'SIGTERM', graceMs: serverGraceMs })
  if (options.withSandboxes) await stopSandboxes(installation).then(reportStopped, reportNotStopped)
  await host.stop({ signal: 'SIGTERM', graceMs: hostGraceMs })
  removeProcessRecord(installation.record('supervisor'))
  report('stopped', {})
  process.exit(options.exitCode)
}

function reportStopped(outcome: { stopped: string[]; failed: string[] }): void {
  report('sandboxes stopped', outcome)
}

function reportNotStopped(error: unknown): void {
  report('couldn’t ask the host daemon to stop the sandboxes', { error: String(error) })
}

function program(of: Installation, name: 'host' | 'server') {
  return {
    name,
    command: [join(of.release, 'node/bin/node'), ...nodeOptions, join(of.release, name, 'main.js')] as const,
    environment: {
      ...memoryEnvironment,
      ...inherited(name === 'server' ? [...machine, modelKeys] : machine),
      ...of.environment,
    },
    workingDirectory: of.dataDirectory,
    logPath: of.log(name),
    recordPath: of.record(name),
    report,
  }
}

function serverUser(of: Installation) {
  const [uid, gid] = [of.environment.THREADBOX_SERVER_UID, of.environment.THREADBOX_SOCKET_GROUP]
  const identity = uid && gid && process.getuid?.() === 0 ? { uid: Number(uid), gid: Number(gid) } : undefined
  return { workingDirectory: join(of.dataDirectory, 'server'), ...(identity ? { identity } : {}) }
}

/** The daemons get these variables of the caller and those from the settings, nothing else. */
function inherited(patterns: readonly RegExp[]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && patterns.some((pattern) => pattern.test(name)) ? [[name, value]] : [],
    ),
  )
}

function report(event: string, details: Record<string, unknown>): void {
  const line = { time: new Date().toISOString(), process: 'supervisor', msg: event, ...details }
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
