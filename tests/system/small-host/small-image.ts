import { execFile } from 'node:child_process'
import { chmod, chown, copyFile, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const programs = [
  'bash',
  'cat',
  'head',
  'id',
  'ls',
  'mkdir',
  'mv',
  'rm',
  'seq',
  'sha256sum',
  'sleep',
  'sync',
  'wc',
  'yes',
]
const directories = ['etc', 'home/user', 'root', 'run', 'tmp', 'usr/bin', 'usr/lib', 'usr/lib64', 'var/tmp']
const links = { bin: 'usr/bin', sbin: 'usr/bin', lib: 'usr/lib', lib64: 'usr/lib64', 'usr/bin/sh': 'bash' }
const files = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nuser:x:1000:1000:user:/home/user:/bin/bash\n',
  'etc/group': 'root:x:0:\nuser:x:1000:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
}

/**
 * A base image of some megabytes built from programs of this machine: enough for a guest and for commands in its shell.
 * `more` names further programs.
 */
export async function makeSmallImage(directory: string, more: readonly string[] = []): Promise<string> {
  const root = await mkdtemp(path.join(directory, 'image-'))
  const archive = path.join(directory, 'small.tar.zst')
  for (const name of directories) await mkdir(path.join(root, name), { recursive: true })
  for (const [name, target] of Object.entries(links)) await symlink(target, path.join(root, name))
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(root, name), content)
  const found = await Promise.all([...programs, ...more].map(async (name) => [name, await locate(name)] as const))
  for (const [name, file] of found) await copyFile(file, path.join(root, 'usr/bin', name))
  for (const library of await librariesOf(found.map(([, file]) => file))) {
    await mkdir(path.dirname(path.join(root, library)), { recursive: true })
    await copyFile(library, path.join(root, library))
  }
  await chown(path.join(root, 'home/user'), 1000, 1000)
  for (const name of ['tmp', 'var/tmp']) await chmod(path.join(root, name), 0o1777)
  await chmod(root, 0o755)
  await run('tar', ['--create', '--zstd', '--numeric-owner', `--directory=${root}`, `--file=${archive}`, '.'])
  await rm(root, { recursive: true })
  return archive
}

async function locate(name: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'command -v "$1"', 'sh', name])
  return await realpath(stdout.trim())
}

/** Shared libraries and the loader, by the paths under which programs search for them. */
async function librariesOf(programFiles: string[]): Promise<Set<string>> {
  const { stdout } = await run('ldd', programFiles)
  const all = [...stdout.matchAll(/^\s+(?:\S+ => )?(\/\S+) \(0x/gm)].flatMap(([, file]) => file ?? [])
  return new Set(all)
}
