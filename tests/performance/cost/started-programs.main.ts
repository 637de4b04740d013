import { ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'

/** Loaded before a program (`--import`), it appends one byte to a file for each program that the program starts. */
const file = `${process.env.THREADBOX_TEST_STARTS}.${process.pid}`

const prototype = ChildProcess.prototype as unknown as { spawn(options: unknown): unknown }
const spawn = prototype.spawn
prototype.spawn = function (this: ChildProcess, options) {
  appendFileSync(file, '.')
  return spawn.call(this, options)
}
