import { ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'

/** Loaded before a program (`--import`), it appends a line to a file for each program that the program starts: its command line. */
const file = `${process.env.THREADBOX_TEST_STARTS}.${process.pid}`

const prototype = ChildProcess.prototype as unknown as { spawn(options: unknown): unknown }
const spawn = prototype.spawn
prototype.spawn = function (this: ChildProcess, options) {
  const { args } = options as { args?: readonly string[] }
  appendFileSync(file, `${(args ?? []).join(' ').replaceAll('\n', ' ').slice(0, 300)}\n`)
  return spawn.call(this, options)
}
