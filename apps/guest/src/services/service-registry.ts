import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeSerial } from '@threadbox/concurrency'
import { defineError, isThreadboxError } from '@threadbox/errors'
import { services } from '@threadbox/protocol/guest'
import type { Launcher } from '../launch/launcher.ts'
import { userProcesses } from '../manifest/processes.ts'
import { runVariable } from '../processes/process-family.ts'
import type { Terminations } from '../watchdog/terminations.ts'
import { holderOf, listListeners } from './listeners.ts'
import { findOpenPorts, type OpenPort } from './open-ports.ts'
import { fine, followService, portTaken, type Service, type ServiceStart, type ServiceStatus } from './service.ts'
import { type LogPart, makeServiceLog, readStoredLog } from './service-log.ts'

export const serviceInvalid = defineError<{ problem: string }>({
  code: 'service.invalid',
  kind: 'invalid',
  message: ({ problem }) => `Can’t start the service: ${problem}`,
  remedy: () => 'Correct the request.',
})

export const serviceLogMissing = defineError<{ name: string }>({
  code: 'service.log-missing',
  kind: 'not-found',
  message: ({ name }) => `The service “${name}” has no output in this sandbox.`,
  remedy: () => 'Start it first.',
})

export type ServiceRequest = ServiceStart & { cwd: string; envs: Record<string, string> }
export type KnownService = { start: ServiceStart; status: ServiceStatus; pid: number; lastLines: Buffer }

/** Services of this boot by name. A name and a port belong to at most one service. */
export type ServiceRegistry = {
  /** Throws `service.invalid`; a problem with the program itself is the service's status. */
  start(request: ServiceRequest): Promise<KnownService>
  stop(name: string): Promise<void>
  remove(name: string): Promise<void>
  list(): KnownService[]
  openPorts(): OpenPort[]
  /** Throws `service.log-missing`. */
  readLog(options: { name: string; before: number; limit: number }): LogPart
  /** Discards what services have printed; services keep running. */
  forgetLogs(): void
  /** Calls `listener` at each change of a service until the returned function is called. */
  onChange(listener: () => void): () => void
}

/** How the manifest recognizes services: a process under such a key is one. */
const markPrefix = 'service:'
const namePattern = /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/
const lastLinesBytes = 2048

type Entry = { start: ServiceStart; status: () => ServiceStatus; service: Service | undefined }

export function makeServiceRegistry(dependencies: {
  launcher: Launcher
  stateDirectory: string
  takeTermination: Terminations['take']
  /** Ports of the guest itself. */
  guestPorts: readonly number[]
  /** Sockets of runtime processes, such as a kernel's own. */
  isRuntimeSocket(inode: string): boolean
}): ServiceRegistry {
  const { launcher, guestPorts } = dependencies
  const entries = new Map<string, Entry>()
  const listeners = new Set<() => void>()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const directoryOf = (name: string) => join(dependencies.stateDirectory, 'services', name)
  const remember = (entry: Entry) => {
    // Deleted first: the map is ordered by start.
    entries.delete(entry.start.name)
    entries.set(entry.start.name, entry)
    changed()
    return describe(entry)
  }
  const failed = (start: ServiceStart, status: ServiceStatus) =>
    remember({ start, status: () => status, service: undefined })
  const stop = async (name: string) => {
    const entry = entries.get(name)
    if (entry === undefined) return
    await entry.service?.stop()
    if (entries.get(name) !== entry || entry.service !== undefined) return
    const status = { ...fine, state: services.ServiceState.STOPPED }
    entries.set(name, { ...entry, status: () => status })
    changed()
  }
  const remove = async (name: string) => {
    await stop(name)
    entries.delete(name)
    if (namePattern.test(name)) rmSync(directoryOf(name), { recursive: true, force: true })
    changed()
  }
  const begin = async (request: ServiceRequest) => {
    await stop(request.name)
    for (const [name, { start }] of entries)
      if (start.port === request.port && name !== request.name) await remove(name)
    const taken = holderOfPort(request.port, guestPorts)
    if (taken !== undefined) return failed(request, taken)
    const user = launcher.user(undefined)
    const mark = `${markPrefix}${request.name}:${request.key}`
    try {
      const launched = await launcher.launch({
        user,
        program: '/bin/bash',
        args: ['-l', '-c', request.command],
        // Python buffers output that does not go to a terminal, so a silent server could not be explained.
        envs: { PORT: String(request.port), PYTHONUNBUFFERED: '1', ...request.envs, [runVariable]: mark },
        cwd: request.cwd === '' ? launcher.workdir(user) : request.cwd,
        stdin: 'none',
        stderr: 'stdout',
      })
      const log = makeServiceLog({ directory: directoryOf(request.name) })
      const service = followService({ ...dependencies, start: request, launched, mark, log, onChange: changed })
      return remember({ start: request, status: () => service.status, service })
    } catch (error) {
      if (!isThreadboxError(error)) throw error
      const problem = services.ServiceProblem.NOT_STARTED
      return failed(request, { ...fine, state: services.ServiceState.FAILED, problem, message: error.message })
    }
  }
  const starting = makeSerial()
  return {
    start: (request) => {
      check(request)
      // One after another, or two starts could both find the port free.
      return starting(() => {
        const known = entries.get(request.name)
        return known?.start.key === request.key ? describe(known) : begin(request)
      })
    },
    stop,
    remove,
    list: () => [...entries.values()].map(describe),
    openPorts: () => {
      const own = [...entries.values()].filter(({ service }) => service !== undefined)
      const members = new Set(own.flatMap(({ service }) => service?.members() ?? []))
      return findOpenPorts({
        guestPorts,
        isRuntimeSocket: dependencies.isRuntimeSocket,
        isService: (pid) => members.has(pid),
      })
    },
    readLog: ({ name, before, limit }) => {
      const log = entries.get(name)?.service?.log
      const found = log === undefined ? storedLog(directoryOf, name, { before, limit }) : log.read({ before, limit })
      if (found === undefined) throw serviceLogMissing({ name })
      return found
    },
    forgetLogs: () => {
      for (const { service } of entries.values()) service?.log.forget()
    },
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function storedLog(directoryOf: (name: string) => string, name: string, part: { before: number; limit: number }) {
  return namePattern.test(name) ? readStoredLog(directoryOf(name), part) : undefined
}

function describe({ start, status, service }: Entry): KnownService {
  const now = status()
  const hasFailed = now.state === services.ServiceState.FAILED
  const lastLines = hasFailed ? service?.log.tail(lastLinesBytes) : undefined
  return { start, status: now, pid: service?.pid ?? 0, lastLines: lastLines ?? Buffer.alloc(0) }
}

/** The status of a service that cannot have its port. */
function holderOfPort(port: number, guestPorts: readonly number[]): ServiceStatus | undefined {
  if (guestPorts.includes(port)) {
    const message = `Port ${port} is reserved by the sandbox.`
    const problem = services.ServiceProblem.PORT_TAKEN
    return { ...fine, state: services.ServiceState.FAILED, problem, message }
  }
  const present = listListeners().find((listener) => listener.port === port)
  if (present === undefined) return undefined
  const pids = userProcesses().users.map(({ pid }) => pid)
  return portTaken(port, holderOf(present.inode, pids))
}

function check(request: ServiceRequest) {
  const texts = [request.key, request.command, request.cwd, ...Object.values(request.envs)]
  const badName = Object.keys(request.envs).find((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
  const isPort = Number.isInteger(request.port) && request.port > 0 && request.port < 65_536
  if (!namePattern.test(request.name))
    throw serviceInvalid({ problem: 'its name must be 1 to 40 characters: a-z, 0-9 and -' })
  if (request.key === '' || !isPort) throw serviceInvalid({ problem: 'it needs a key and a port' })
  if (texts.some((text) => text.includes('\0'))) throw serviceInvalid({ problem: 'it contains a NUL character' })
  if (badName !== undefined) throw serviceInvalid({ problem: `"${badName}" cannot be the name of a variable` })
}
