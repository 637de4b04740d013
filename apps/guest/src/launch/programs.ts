import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** How to start the programs that belong to the guest. */
export type Programs = {
  /** Arguments that run a shell script of the guest with `sh`. */
  script(name: 'launch'): string[]
  mkfifo: string[]
  /** A user's file server. */
  fileServer: string[]
  /** The `df` of the sandbox. */
  df: string
  file(name: 'session.bash' | 'kernel.py' | 'verify.py'): string
}

/**
 * In a sandbox everything comes from the guest directory and is started through its own loader, because the root
 * filesystem can be anything. From a source checkout (tests) the machine's own programs are used.
 */
export function findPrograms(directory: string): Programs {
  const library = join(directory, 'lib')
  if (!existsSync(library)) {
    const native = join(directory, 'native')
    return {
      script: (name) => ['/bin/sh', join(native, name)],
      mkfifo: ['/usr/bin/mkfifo'],
      fileServer: [process.execPath, join(directory, 'files/main.ts')],
      df: join(native, 'df'),
      file: (name) => join(native, name),
    }
  }
  const loader = readdirSync(library).find((name) => name.startsWith('ld-linux')) ?? 'ld-linux-x86-64.so.2'
  const start = [join(library, loader), '--library-path', library]
  return {
    script: (name) => [...start, join(directory, 'sh'), join(directory, name)],
    mkfifo: [...start, join(directory, 'mkfifo')],
    fileServer: [...start, join(directory, 'node'), '--expose-gc', join(directory, 'files.js')],
    df: join(directory, 'df'),
    file: (name) => join(directory, name),
  }
}
