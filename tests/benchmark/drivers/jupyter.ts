import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { type CommandResult, type Driver, type Technology, unsupported } from '../driver.ts'
import { descendantsOf, ownMemoryBytes } from '../processes.ts'
import { type PythonServer, startPythonServer, versionOf } from './python-servers.ts'

type Kernel = { socket: WebSocket; kernelId: string; pid: number }
type Message = {
  parent_header: { msg_id?: string }
  msg_type: string
  content: { text?: string; execution_state?: string; status?: string; evalue?: string }
}

/** Jupyter Server of PyPI: a sandbox is a kernel with a folder. */
export function jupyterServer(): Technology {
  return {
    name: 'jupyter-server',
    about:
      'Jupyter Server as a service of this machine: a sandbox is a Python kernel with a folder; a command is a cell that runs ' +
      'it, files by the contents API; nothing is separated, and memory is without the server’s',
    hasImage: false,
    open: async () => {
      const token = randomBytes(16).toString('hex')
      const server = await startPythonServer({
        program: 'jupyter-server',
        args: ({ port, folder }) => [
          '--allow-root',
          '--no-browser',
          '--ip=127.0.0.1',
          `--port=${port}`,
          `--IdentityProvider.token=${token}`,
          `--ServerApp.root_dir=${folder}`,
        ],
        readyPath: '/api/status',
        headers: { authorization: `token ${token}` },
      })
      return { driver: makeDriver(server, token), version: await versionOf('jupyter-server') }
    },
  }
}

function makeDriver(server: PythonServer, token: string): Driver {
  const kernels = new Map<string, Kernel>()
  const of = (id: string): Kernel => {
    const found = kernels.get(id)
    if (found === undefined) throw new Error(`there is no kernel ${id}`)
    return found
  }
  const folderOf = (id: string) => path.join(server.folder, id)
  const contents = (id: string, name: string) => `/api/contents/${id}/${name}`
  const cannotKeep = unsupported('Jupyter Server has no verb for it')
  const run = async (kernel: Kernel, line: string, folder: string): Promise<CommandResult> => {
    const text = await execute(kernel, cellOf(line, folder))
    const { code, output } = JSON.parse(text) as { code: number; output: string }
    return { exitCode: code, output }
  }
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
      const { id: kernelId } = await server.json<{ id: string }>('POST', '/api/kernels', { name: 'python3' })
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/kernels/${kernelId}/channels?token=${token}`)
      await opened(socket)
      const kernel = { socket, kernelId, pid: 0 }
      kernel.pid = Number(await execute(kernel, 'import os; print(os.getpid())'))
      kernels.set(id, kernel)
      if (program !== undefined) {
        const words = JSON.stringify(program)
        await execute(kernel, `import subprocess; subprocess.Popen(${words}, cwd=${JSON.stringify(folderOf(id))})`)
      }
      return id
    },
    command: async (id, line) => await run(of(id), line, folderOf(id)),
    writeFile: async (id, { name, content }) => {
      await server.json('PUT', contents(id, name), { type: 'file', format: 'text', content })
    },
    readFile: async (id, name) =>
      (await server.json<{ content: string }>('GET', `${contents(id, name)}?type=file&format=text`)).content,
    pause: cannotKeep,
    dropMemory: cannotKeep,
    resume: cannotKeep,
    fork: cannotKeep,
    delete: async (id) => {
      const { kernelId, socket, pid } = of(id)
      const children = await descendantsOf(pid)
      kernels.delete(id)
      socket.close()
      await server.json('DELETE', `/api/kernels/${kernelId}`)
      // A kernel leaves running what its cells started.
      for (const child of children) killIfThere(child)
      await rm(folderOf(id), { recursive: true, force: true })
    },
    describe: async (id) => {
      const { pid } = of(id)
      const processIds = [pid, ...(await descendantsOf(pid))]
      const sizes = await Promise.all(processIds.map(ownMemoryBytes))
      return { processIds, memoryBytes: sizes.reduce((sum, size) => sum + size, 0) }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function cellOf(line: string, folder: string): string {
  return [
    'import json, subprocess',
    `done = subprocess.run(["/bin/sh", "-c", ${JSON.stringify(line)}], cwd=${JSON.stringify(folder)},`,
    '  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)',
    'print(json.dumps({"code": done.returncode, "output": done.stdout}))',
  ].join('\n')
}

/** What a cell prints. */
async function execute({ socket }: Pick<Kernel, 'socket'>, code: string): Promise<string> {
  const id = randomBytes(8).toString('hex')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let printed = ''
  let isReplied = false
  let isIdle = false
  const onMessage = ({ data }: MessageEvent) => {
    const { parent_header, msg_type, content } = JSON.parse(String(data)) as Message
    if (parent_header.msg_id !== id) return
    if (msg_type === 'stream') printed += content.text ?? ''
    if (msg_type === 'execute_reply') isReplied = true
    if (msg_type === 'status' && content.execution_state === 'idle') isIdle = true
    if (content.status === 'error') reject(new Error(`a cell failed: ${content.evalue}`))
    // Output comes on another channel than the reply; the end of that one is `idle`.
    if (isReplied && isIdle) resolve(printed)
  }
  socket.addEventListener('message', onMessage)
  const header = { msg_id: id, msg_type: 'execute_request', username: '', session: id, version: '5.3', date: '' }
  const content = { code, silent: false, store_history: false, user_expressions: {}, allow_stdin: false }
  socket.send(JSON.stringify({ header, parent_header: {}, metadata: {}, content, channel: 'shell', buffers: [] }))
  return await promise.finally(() => socket.removeEventListener('message', onMessage))
}

async function opened(socket: WebSocket): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  socket.addEventListener('open', () => resolve())
  socket.addEventListener('error', () => reject(new Error('the socket of a kernel could not be opened')))
  await promise
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
