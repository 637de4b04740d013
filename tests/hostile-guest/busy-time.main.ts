import { appendFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Loaded before a program (`--import`), it appends to a file, in milliseconds, how much processor time the program’s main
 * thread took between two turns of its event loop, if that is much. The program did nothing else in that time. Unlike a
 * time by the clock, it says nothing about what else the machine did. On SIGUSR2, the program collects its garbage.
 */
const file = `${process.env.THREADBOX_TEST_BUSY}.${process.pid}`
const everyMs = 10
const muchMs = 40

let last = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  const ms = Math.round((now.user + now.system - last.user - last.system) / 1000)
  if (ms >= muchMs) appendFileSync(file, `${ms}\n`)
  last = process.threadCpuUsage()
}, everyMs).unref()

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
process.on('SIGUSR2', () => collect())
