import { orAborted } from '@threadbox/concurrency'
import { expect, test } from 'vitest'
import { type Context, makeContext, silence } from './context.ts'
import type { Kernel, RequestListener } from './kernel.ts'

/** A kernel without a process: it responds to every request, and ends when it is killed. */
function makeKernel(pid: number): Kernel {
  const ended = Promise.withResolvers<Awaited<Kernel['exit']>>()
  let isAlive = true
  const answer = ({ onMessage, onReply }: RequestListener) => {
    onMessage({ type: 'status', parentId: '', content: { execution_state: 'idle' } })
    onReply({ type: 'execute_reply', parentId: '', content: {} })
  }
  return {
    pid,
    directory: '',
    ownSockets: new Set(),
    exit: ended.promise,
    request: ({ listener }) => answer(listener),
    ask: async () => undefined,
    forget: async () => undefined,
    hold: () => undefined,
    interrupt: () => undefined,
    isAlive: () => isAlive,
    kill: async () => {
      isAlive = false
      ended.resolve({ code: null, signal: 'SIGKILL', lastWords: '' })
    },
  }
}

/** `started`: all kernels so far. With `isHeld`, the first start lasts until it is released or abandoned. */
function contextWith(options: { restores?: boolean; isHeld?: boolean } = {}) {
  const started: Kernel[] = []
  const release = Promise.withResolvers<void>()
  let starts = 0
  const start = async (signal: AbortSignal) => {
    starts += 1
    if (options.isHeld === true && starts === 1) await orAborted(release.promise, signal)
    const kernel = makeKernel(started.length + 1)
    started.push(kernel)
    return kernel
  }
  const restores = () => options.restores === true
  const context = makeContext({ id: 'main', cwd: '/', start, restores, variables: () => ({}) })
  return { context, started, release: release.resolve }
}

const runIn = (context: Context) => context.run({ code: '1', listener: silence }).done

test('a prewarmed kernel that no cell used is ended, and the next cell gets another', async () => {
  const { context, started } = contextWith()
  await context.prewarm()
  expect(await context.dropUnused()).toBe(true)
  expect([context.kernel(), started[0]?.isAlive()]).toEqual([undefined, false])
  expect(await context.dropUnused()).toBe(false)
  await runIn(context)
  expect(context.kernel()?.pid).toBe(2)
})

test('G1: a kernel is not ended once a cell was requested in it, also by one that still waits', async () => {
  const { context } = contextWith()
  await context.prewarm()
  const cell = runIn(context)
  expect(await context.dropUnused()).toBe(false)
  await cell
  expect([await context.dropUnused(), context.kernel()?.isAlive(), context.hasRun()]).toEqual([false, true, true])
  // A later turn that expects cells changes nothing about it.
  await context.prewarm()
  expect(await context.dropUnused()).toBe(false)
})

test('G1: a kernel that a first cell started, or in which variables were restored, is not ended', async () => {
  const used = contextWith().context
  await runIn(used)
  expect(await used.dropUnused()).toBe(false)
  const filled = contextWith({ restores: true }).context
  await filled.prewarm()
  expect([await filled.dropUnused(), filled.kernel()?.isAlive()]).toEqual([false, true])
  const warm = contextWith().context
  await warm.prewarm()
  await warm.dropUnused()
  await warm.warm()
  expect(await warm.dropUnused()).toBe(false)
})

test('a kernel that is still starting is ended with its start; a cell that comes then runs in another', async () => {
  const { context, started } = contextWith({ isHeld: true })
  const prewarming = context.prewarm()
  const dropping = context.dropUnused()
  const cell = runIn(context)
  await expect(prewarming).rejects.toThrow()
  expect(await dropping).toBe(true)
  await cell
  expect([started.length, context.kernel()?.isAlive()]).toEqual([1, true])
})

test('G1: a kernel for which a cell waits while it starts is not ended', async () => {
  const { context, release } = contextWith({ isHeld: true })
  const prewarming = context.prewarm()
  const cell = runIn(context)
  expect(await context.dropUnused()).toBe(false)
  release()
  await Promise.all([prewarming, cell])
  expect(context.kernel()?.pid).toBe(1)
})
