import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdDecompress } from 'node:zlib'
import { defineError } from '@threadbox/errors'
import { intoProgram } from '../programs/feed-program.ts'

export const archiveBroken = defineError<{ archive: string; reason: string }>({
  code: 'image.archive-broken',
  kind: 'internal',
  message: ({ archive, reason }) => `Couldn’t unpack the image ${archive}: ${reason}`,
  remedy: () => 'Delete the file and run `threadbox up` again to create a new one.',
})

/**
 * Unpacks a .tar.zst into an empty directory, owners and extended attributes included, and adds the mount points of the
 * files that every sandbox sees. GNU tar refuses members that point out of the directory.
 */
export async function unpackArchive(options: {
  archive: string
  directory: string
  signal: AbortSignal
}): Promise<void> {
  const { archive, directory, signal } = options
  const flags = ['--extract', '--numeric-owner', '--xattrs', '--xattrs-include=*', `--directory=${directory}`]
  const tar = spawn('tar', [...flags, '--file=-'], { stdio: ['pipe', 'ignore', 'pipe'], signal })
  let problem = ''
  tar.stderr.on('data', (chunk: Buffer) => {
    problem = (problem + chunk.toString()).slice(-2000)
  })
  const ended = Promise.withResolvers<number | null>()
  tar.once('error', ended.reject)
  tar.once('close', ended.resolve)
  const [fed, exit] = await Promise.allSettled([
    pipeline(createReadStream(archive), createZstdDecompress(), intoProgram(tar.stdin), { signal }),
    ended.promise,
  ])
  if (exit.status === 'rejected') throw archiveBroken({ archive, reason: String(exit.reason) }, { cause: exit.reason })
  if (exit.value !== 0) throw archiveBroken({ archive, reason: problem.trim() || `tar ended with ${exit.value}` })
  if (fed.status === 'rejected') throw archiveBroken({ archive, reason: String(fed.reason) }, { cause: fed.reason })
  await addMountPoints(directory)
  await keepTemporaryFiles(directory)
}

/** Raised when what is added to the content of an archive changes: existing images lack it. */
export const unpackVersion = 2

const mountPointDirectories = ['proc', 'sys', 'dev', '.guest', 'skills', 'etc/ssl/certs']
const mountPointFiles = ['etc/ssl/certs/ca-certificates.crt', 'etc/resolv.conf', 'etc/hosts']

async function addMountPoints(root: string): Promise<void> {
  for (const name of mountPointDirectories) await mkdir(path.join(root, name), { recursive: true })
  for (const name of mountPointFiles) await writeFile(path.join(root, name), '', { flag: 'a' })
}

/**
 * runsc mounts a memory file system over a `/tmp` that is empty at boot, and its content would be lost with the memory.
 * So this adds a directory that programs with a display expect there.
 */
async function keepTemporaryFiles(root: string): Promise<void> {
  const directory = path.join(root, 'tmp/.X11-unix')
  await mkdir(directory, { recursive: true })
  await chmod(directory, 0o1777)
}
