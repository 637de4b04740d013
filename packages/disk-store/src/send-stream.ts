import { commandFailed } from './disk-store.errors.ts'

/**
 * Reads the names in a `btrfs send` stream. The format is that of the kernel’s fs/btrfs/send.h, version 1, all numbers
 * little-endian: the header is `btrfs-stream\0` and a u32 version; each command is a u32 length (without these ten
 * bytes), a u16 command, a u32 checksum, and then attributes, each a u16 type, a u16 length and that many bytes.
 */
export type SendStreamReader = {
  /** False: the stream has more than `limits` allows, so the rest need not be read. Throws `disk.command-failed`. */
  push(chunk: Buffer): boolean
  /** Throws `disk.command-failed` if the stream is incomplete. */
  end(): NamesOfStream
}

/**
 * Names byte for byte (as latin1), relative to the root of the volume, which is ''. They are as of each command: what
 * is moved or created temporarily has a name at the root that neither volume has. True: the name was created, moved or
 * removed; false: its content was written to.
 */
export type NamesOfStream = Map<string, boolean>

export type SendStreamLimits = { commands: number; names: number; nameBytes: number }

const magic = Buffer.from('btrfs-stream\0')
const headerBytes = magic.length + 4
const commandHeaderBytes = 10
/** The kernel fills a buffer of 64 KiB for each command of version 1. */
const longestCommandBytes = 1024 * 1024

const [snapshotCommand, mkfileCommand, renameCommand, linkCommand, rmdirCommand, endCommand, lastCommand] = [
  2, 3, 9, 10, 12, 21, 22,
]
const [pathAttribute, pathToAttribute, pathLinkAttribute] = [15, 16, 17]

export function makeSendStreamReader(limits: SendStreamLimits): SendStreamReader {
  const names: NamesOfStream = new Map()
  let rest: Buffer = Buffer.alloc(0)
  let [hasBegun, hasEnded] = [false, false]
  let [commands, nameBytes] = [0, 0]

  const note = (name: string, isMoved: boolean) => {
    const known = names.get(name)
    if (known === undefined) nameBytes += name.length
    names.set(name, isMoved || known === true)
  }
  const readCommand = (command: number, body: Buffer) => {
    if (command < 1 || command > lastCommand) throw malformed(`it has the unknown command ${command}`)
    if (hasEnded) throw malformed('it continues after its end')
    commands += 1
    hasEnded = command === endCommand
    // The first commands contain the name of the volume itself.
    if (command <= snapshotCommand) return
    const isMoved = command >= mkfileCommand && command <= rmdirCommand
    for (const [type, value] of attributesOf(body)) {
      const isName =
        type === pathAttribute ||
        (type === pathToAttribute && command === renameCommand) ||
        // For a hard link this is the other name of the file, for a symbolic link its target.
        (type === pathLinkAttribute && command === linkCommand)
      if (isName) note(value.toString('latin1'), isMoved)
    }
  }
  return {
    push: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let at = 0
      if (!hasBegun && bytes.length >= headerBytes) {
        checkHeader(bytes)
        hasBegun = true
        at = headerBytes
      }
      while (hasBegun && bytes.length - at >= commandHeaderBytes) {
        const length = bytes.readUInt32LE(at)
        if (length > longestCommandBytes) throw malformed(`it has a command of ${length} bytes`)
        const next = at + commandHeaderBytes + length
        if (next > bytes.length) break
        readCommand(bytes.readUInt16LE(at + 4), bytes.subarray(at + commandHeaderBytes, next))
        at = next
      }
      rest = bytes.subarray(at)
      return commands <= limits.commands && names.size <= limits.names && nameBytes <= limits.nameBytes
    },
    end: () => {
      if (!hasEnded || rest.length > 0) throw malformed('it was cut off')
      return names
    },
  }
}

function checkHeader(bytes: Buffer): void {
  if (!bytes.subarray(0, magic.length).equals(magic)) throw malformed('it isn’t a btrfs stream')
  const version = bytes.readUInt32LE(magic.length)
  if (version !== 1) throw malformed(`it has the version ${version}`)
}

function* attributesOf(body: Buffer): Generator<[type: number, value: Buffer]> {
  let at = 0
  while (at < body.length) {
    if (at + 4 > body.length) throw malformed('an attribute is cut off')
    const end = at + 4 + body.readUInt16LE(at + 2)
    if (end > body.length) throw malformed('an attribute is longer than its command')
    yield [body.readUInt16LE(at), body.subarray(at + 4, end)]
    at = end
  }
}

function malformed(reason: string): Error {
  return commandFailed({ command: 'btrfs send', reason: `its stream cannot be read: ${reason}` })
}
