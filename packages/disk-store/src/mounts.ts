import { readFile } from 'node:fs/promises'
import { runCommand } from './run-command.ts'

export type Mount = { mountPoint: string; fileSystem: string; source: string; options: ReadonlySet<string> }

/** All mounts in the order of mounting: of two on the same point the later one is visible. */
export async function listMounts(): Promise<Mount[]> {
  return parseMounts(await readFile('/proc/self/mountinfo', 'utf8'))
}

/** The visible mount at exactly this path; undefined for an ordinary directory. */
export async function mountAt(path: string): Promise<Mount | undefined> {
  return (await listMounts()).findLast((mount) => mount.mountPoint === path)
}

/** Parses `/proc/self/mountinfo` (proc(5)); spaces and similar characters are octal escapes there. */
function parseMounts(content: string): Mount[] {
  return content
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ')
      const [fileSystem = '', source = ''] = after.split(' ')
      const fields = before.split(' ')
      return {
        mountPoint: unescapeOctal(fields[4] ?? ''),
        fileSystem,
        source: unescapeOctal(source),
        options: new Set((fields[5] ?? '').split(',')),
      }
    })
}

/** The loop devices over exactly this file. */
export async function loopDevicesOf(file: string): Promise<string[]> {
  const output = await runCommand(['losetup', '--noheadings', '--raw', '--output', 'NAME', '--associated', file])
  return output.split('\n').filter((line) => line !== '')
}

function unescapeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}
