import { defineError } from '@threadbox/errors'
import { freshRandom } from '../ground/random.ts'
import type { Launcher } from '../launch/launcher.ts'
import { requireDirectory } from '../launch/launcher.ts'
import type { Programs } from '../launch/programs.ts'
import { type Context, makeContext } from './context.ts'
import { type Kernel, startKernel } from './kernel.ts'

export const contextUnknown = defineError<{ id: string }>({
  code: 'context.unknown',
  kind: 'not-found',
  message: ({ id }) => `Code context “${id}” not found.`,
  remedy: () => 'Create one, or omit the context to use the thread’s own kernel.',
})

/** Id of the context that always exists and that runs cells without a context. */
const mainContext = 'main'

/** What a fresh kernel gets before cells run in it. */
export type KernelPreparer = {
  /** True if `prepare` will restore something of the user in this context. */
  restores(context: string): boolean
  /** Returns false if another kernel must be started. */
  prepare(context: string, kernel: Kernel): Promise<boolean>
}

/** Contexts by id. `main` always exists. */
export type Contexts = {
  /** Throws `context.unknown`. The empty id is the main context. */
  get(id: string): Context
  list(): Context[]
  create(options: { cwd: string | undefined }): Context
  addPreparer(preparer: KernelPreparer): void
  /** Registers a context that existed before a cold start; a known one is left unchanged. */
  restore(options: { id: string; cwd: string }): void
  /** Ends the context's kernel and forgets it. */
  remove(id: string): Promise<void>
  /** Ends prewarmed kernels that have not been used. Returns whether there were any. */
  dropUnused(): Promise<boolean>
  /** Ends every kernel. */
  close(): Promise<void>
}

export function makeContexts(dependencies: {
  launcher: Launcher
  programs: Programs
  scratchDirectory: string
  /** Those that the server adds while the guest runs. */
  addedVariables(): Record<string, string>
}): Contexts {
  const { launcher, programs, scratchDirectory, addedVariables } = dependencies
  const contexts = new Map<string, Context>()
  const preparers: KernelPreparer[] = []
  const isPrepared = async (id: string, kernel: Kernel) => {
    for (const { prepare } of preparers) if (!(await prepare(id, kernel))) return false
    return true
  }
  const start = async (id: string, options: { cwd: string; signal: AbortSignal }): Promise<Kernel> => {
    for (;;) {
      const kernelProgram = programs.file('kernel.py')
      const kernel = await startKernel({ launcher, scratchDirectory, kernelProgram, ...options })
      if (await isPrepared(id, kernel)) return kernel
      await kernel.kill()
    }
  }
  const add = (id: string, cwd: string) => {
    const context = makeContext({
      id,
      cwd,
      start: (signal) => start(id, { cwd, signal }),
      restores: () => preparers.some(({ restores }) => restores(id)),
      variables: addedVariables,
    })
    contexts.set(id, context)
    return context
  }
  const main = () => contexts.get(mainContext) ?? add(mainContext, launcher.workdir(launcher.user(undefined)))
  const get = (id: string) => {
    if (id === '' || id === mainContext) return main()
    const context = contexts.get(id)
    if (context === undefined) throw contextUnknown({ id })
    return context
  }
  return {
    get,
    list: () => [main(), ...[...contexts.values()].filter((context) => context.id !== mainContext)],
    create: ({ cwd }) => {
      const directory = cwd ?? launcher.workdir(launcher.user(undefined))
      requireDirectory(directory)
      return add(freshRandom(12), directory)
    },
    addPreparer: (preparer) => void preparers.push(preparer),
    restore: ({ id, cwd }) => {
      if (!contexts.has(id)) add(id, cwd)
    },
    dropUnused: async () => {
      const dropped = await Promise.all([...contexts.values()].map((context) => context.dropUnused()))
      return dropped.includes(true)
    },
    close: async () => void (await Promise.all([...contexts.values()].map((context) => context.restart()))),
    remove: async (id) => {
      const context = get(id)
      contexts.delete(context.id)
      await context.restart()
    },
  }
}
