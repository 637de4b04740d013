import { execFile } from 'node:child_process'
import {
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freshRandom } from '../ground/random.ts'

const run = promisify(execFile)

/** Both ends of a pipe as file descriptors. The caller closes both. */
export type Pipe = { readEnd: number; writeEnd: number }

/**
 * Makes real pipes. What Node calls a pipe between processes is a socket, and a program that opens `/dev/stdout` or
 * `/dev/stdin` cannot open a socket. Named pipes can be opened. They are made in batches beforehand, because making one
 * takes a process, and lose their names as soon as they are used.
 */
export type PipePool = {
  /** The program reads what the guest writes. */
  forInput(owner: { uid: number; gid: number }): Promise<Pipe>
  /** The guest reads what the program writes. */
  forOutput(owner: { uid: number; gid: number }): Promise<Pipe>
  /** Creates a named pipe that the owner can open; the caller opens it and removes the name. */
  createFifo(owner: { uid: number; gid: number }, path: string): Promise<void>
}

const batchSize = 32

export function makePipePool(options: { scratchDirectory: string; mkfifo: string[] }): PipePool {
  const names: string[] = []
  let refilling: Promise<void> | undefined
  const directory = join(options.scratchDirectory, 'pipes')
  const refill = async () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const batch = Array.from({ length: batchSize }, () => join(directory, freshRandom(8)))
    const [program = '', ...args] = options.mkfifo
    await run(program, [...args, '-m', '600', ...batch])
    names.push(...batch)
  }
  const startRefill = () => {
    refilling ??= refill().finally(() => {
      refilling = undefined
    })
    return refilling
  }
  const take = async () => {
    while (names.length === 0) await startRefill()
    // A background refill that fails is tried again, and reported, when the pool is empty.
    if (names.length <= batchSize / 4) startRefill().catch(() => undefined)
    return names.pop() ?? ''
  }
  const opened = async (owner: { uid: number; gid: number }, open: (path: string) => Pipe) => {
    const path = await take()
    const pipe = open(path)
    unlinkSync(path)
    // So that the program can open it again through /dev/stdout.
    if (process.getuid?.() === 0) fchownSync(pipe.writeEnd, owner.uid, owner.gid)
    else fchmodSync(pipe.writeEnd, 0o600)
    return pipe
  }
  const createFifo = async (owner: { uid: number; gid: number }, path: string) => {
    const unused = await take()
    if (process.getuid?.() === 0) chownSync(unused, owner.uid, owner.gid)
    renameSync(unused, path)
  }
  return {
    createFifo,
    forInput: (owner) => opened(owner, openForInput),
    forOutput: (owner) => opened(owner, openForOutput),
  }
}

/** Only the guest's end is non-blocking: programs do not expect EAGAIN. Opening both ways first keeps opens short. */
function openForInput(path: string): Pipe {
  const both = openSync(path, constants.O_RDWR)
  const readEnd = openSync(path, constants.O_RDONLY)
  const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  closeSync(both)
  return { readEnd, writeEnd }
}

function openForOutput(path: string): Pipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) }
}
