import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { type Driver, type Technology, unsupported } from '../driver.ts'
import { ownMemoryBytes, processesWith } from '../processes.ts'
import { type PythonServer, startPythonServer, versionOf } from './python-servers.ts'

const marker = 'BENCHMARK_SANDBOX'
type Execution = { exit_code: number; output: { data: string }[]; status: string }

/** Open Terminal of PyPI: a service that runs commands on the machine. A sandbox is a folder of one server. */
export function openTerminal(): Technology {
  return {
    name: 'open-terminal',
    about:
      'Open Terminal as a service of this machine: commands by `POST /execute` with `wait`, files by its own calls; a sandbox ' +
      'is a folder, nothing is separated, and memory is without the server’s',
    hasImage: false,
    open: async () => {
      const apiKey = randomBytes(16).toString('hex')
      const server = await startPythonServer({
        program: 'open-terminal',
        args: ({ port, folder }) => [
          'run',
          '--host',
          '127.0.0.1',
          '--port',
          `${port}`,
          '--api-key',
          apiKey,
          '--cwd',
          folder,
        ],
        readyPath: '/openapi.json',
        headers: { authorization: `Bearer ${apiKey}` },
      })
      return { driver: makeDriver(server), version: await versionOf('open-terminal') }
    },
  }
}

function makeDriver(server: PythonServer): Driver {
  const folderOf = (id: string) => path.join(server.folder, id)
  const execute = async (id: string, command: string): Promise<{ exitCode: number; output: string }> => {
    const body = { command, cwd: folderOf(id), env: { [marker]: id } }
    const result = await server.json<Execution>('POST', '/execute?wait=120', body)
    // It runs commands in a terminal, which ends lines in its own way.
    const output = result.output.map(({ data }) => data).join('')
    return { exitCode: result.exit_code, output: output.replaceAll('\r\n', '\n') }
  }
  const end = async (id: string) => {
    for (const pid of await processesWith(marker, id)) process.kill(pid, 'SIGKILL')
  }
  const cannotKeep = unsupported('Open Terminal has no verb for it')
  return {
    capabilities: {
      separates: 'nothing',
      pauses: false,
      savesMemory: false,
      startsCold: false,
      forks: false,
      wakesOnCommand: false,
    },
    create: async (program) => {
      const id = randomBytes(6).toString('hex')
      await mkdir(folderOf(id))
      if (program !== undefined) {
        const words = program.map((word) => `'${word}'`).join(' ')
        await execute(id, `setsid ${words} > /dev/null 2>&1 < /dev/null &`)
      }
      return id
    },
    command: execute,
    writeFile: async (id, { name, content }) => {
      await server.json('POST', '/files/write', { path: path.join(folderOf(id), name), content })
    },
    readFile: async (id, name) => {
      const query = new URLSearchParams({ path: path.join(folderOf(id), name) })
      return (await server.json<{ content: string }>('GET', `/files/read?${query}`)).content
    },
    pause: cannotKeep,
    dropMemory: cannotKeep,
    resume: cannotKeep,
    fork: cannotKeep,
    delete: async (id) => {
      await end(id)
      await rm(folderOf(id), { recursive: true, force: true })
    },
    describe: async (id) => {
      const processIds = await processesWith(marker, id)
      const sizes = await Promise.all(processIds.map(ownMemoryBytes))
      return { processIds, memoryBytes: sizes.reduce((sum, size) => sum + size, 0) }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
