import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pLimit } from '@threadbox/concurrency'
import { sandboxPids } from '@threadbox/testkit'
import { heldBySandbox } from '../../performance/cost/held-memory.ts'
import { cgroupOf } from '../../performance/scenarios/memory.ts'
import { dropFrozen, untilCold } from '../../performance/scenarios/pausing.ts'
import { sandboxIdsOf, type TestInstallation, testThread } from '../../stack/installation.ts'
import type { CommandResult, Driver, Technology } from '../driver.ts'

/** Where commands of a thread begin. */
const home = '/home/user'

/** The product through its public API: a sandbox is a thread’s. */
export function threadbox(installation: TestInstallation): Technology {
  return {
    name: 'threadbox',
    about:
      'The product with its own settings, through its public API: a command is a message `/run …` until its turn has ended and ' +
      'its output was fetched, a new sandbox is a new thread; a message wakes a paused thread. Only removing a sandbox from RAM has no ' +
      'call: its frozen process is killed, as the kernel would, or its running one for a cold start',
    hasImage: true,
    open: async () => {
      const text = await readFile(path.join(import.meta.dirname, '../../../package.json'), 'utf8')
      return { driver: makeDriver(installation), version: (JSON.parse(text) as { version: string }).version }
    },
  }
}

function makeDriver(installation: TestInstallation): Driver {
  const { client, host } = installation
  /** By thread. */
  const sandboxIds = new Map<string, string>()
  /** What starts sandboxes finds them by what is new. */
  const oneAtATime = pLimit(1)
  const sandboxOf = (id: string) => {
    const found = sandboxIds.get(id)
    if (found === undefined) throw new Error(`there is no thread ${id}`)
    return found
  }
  const withNewSandbox = async (make: () => Promise<string>): Promise<string> =>
    await oneAtATime(async () => {
      const before = new Set(await sandboxIdsOf(installation))
      const threadId = await make()
      const sandboxId = (await sandboxIdsOf(installation)).find((each) => !before.has(each))
      if (sandboxId === undefined) throw new Error('no sandbox was started')
      sandboxIds.set(threadId, sandboxId)
      return threadId
    })
  const say = async (id: string, line: string): Promise<CommandResult> => {
    const { calls, turn } = await testThread(client, id).say(`/run ${line}`)
    const call = calls[0]
    if (call === undefined) throw new Error(`a message started no command: ${JSON.stringify(turn)}`)
    const exitCode = call.result?.kind === 'command' ? call.result.exitCode : null
    return { exitCode: exitCode ?? (call.status === 'succeeded' ? 0 : -1), output: call.output.tail }
  }
  const remove = async (id: string) => {
    const sandboxId = sandboxOf(id)
    sandboxIds.delete(id)
    await client.threads.delete(id)
    while ((await sandboxIdsOf(installation)).includes(sandboxId))
      await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    capabilities: {
      separates: 'kernel',
      pauses: true,
      savesMemory: true,
      startsCold: true,
      forks: true,
      wakesOnCommand: true,
    },
    create: async (program) =>
      await withNewSandbox(async () => {
        const { id } = await client.threads.create({})
        const words = program?.map((word) => `'${word}'`).join(' ')
        await say(id, words === undefined ? 'true' : `setsid ${words} > /dev/null 2>&1 < /dev/null &`)
        return id
      }),
    command: say,
    writeFile: async (id, { name, content }) => {
      await client.files.write(id, `${home}/${name}`, Buffer.from(content))
    },
    readFile: async (id, name) => await (await client.files.read(id, `${home}/${name}`)).text(),
    pause: async (id) => {
      await client.sandboxes.pause(id)
    },
    dropMemory: async (id, { keepsImage }) => {
      if (keepsImage) return await dropFrozen(installation, sandboxOf(id))
      await client.sandboxes.wake(id)
      await host.killSandbox(sandboxOf(id))
      await untilCold(installation, testThread(client, id))
    },
    resume: async (id) => {
      await client.sandboxes.wake(id)
    },
    fork: async (id) =>
      await withNewSandbox(async () => {
        const fork = await client.threads.fork(id)
        if (fork.forkedFrom?.from !== 'memory') throw new Error(`a fork has only files: ${JSON.stringify(fork)}`)
        return fork.id
      }),
    delete: remove,
    describe: async (id) => {
      const [pid] = await sandboxPids({ dataDirectory: host.dataDirectory, sandboxId: sandboxOf(id) })
      if (pid === undefined) return { processIds: [], memoryBytes: 0 }
      return { processIds: await groupOf(pid), memoryBytes: await heldBySandbox(host, sandboxOf(id)) }
    },
    [Symbol.asyncDispose]: async () => {
      for (const id of sandboxIds.keys()) await remove(id)
    },
  }
}

/** The processes in a sandbox’s group, which are all of it on the host. */
async function groupOf(pid: number): Promise<number[]> {
  const group = await cgroupOf(pid)
  for (const hierarchy of ['pids', '']) {
    const text = await readFile(path.join('/sys/fs/cgroup', hierarchy, group, 'cgroup.procs'), 'utf8').catch(() => '')
    if (text !== '') return text.trim().split('\n').map(Number)
  }
  return [pid]
}
