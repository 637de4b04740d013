import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'

/**
 * Writes one of the orders to the kernel’s files of a cgroup: the first that it understands. In a process, because the
 * kernel returns only when it has reclaimed all that it can, and only a signal ends that early. With the lowest priority:
 * nothing waits for it. Throws if it understands none.
 */
export async function reclaimMemory(options: {
  directory: string
  orders: readonly [string, string][]
  signal: AbortSignal
}): Promise<void> {
  const { directory, orders, signal } = options
  for (const [index, [file, value]] of orders.entries()) {
    if (signal.aborted) return
    const problem = await writeApart(path.join(directory, file), { value, signal })
    if (problem === '') return
    // It has reclaimed what it could, which is less than everything.
    if (problem.includes('temporarily unavailable')) return
    const isNotUnderstood = problem.includes('Invalid argument')
    if (!isNotUnderstood || index === orders.length - 1) throw new Error(problem)
  }
}

/** What the write said; empty if it succeeded or was canceled. */
async function writeApart(file: string, { value, signal }: { value: string; signal: AbortSignal }): Promise<string> {
  // Not by a shell: dash doesn’t say which error it was.
  const words = ['-n', '19', 'env', 'LC_ALL=C', 'dd', `of=${file}`, 'bs=4096', 'conv=notrunc', 'status=none']
  const program = spawn('nice', words, { stdio: ['pipe', 'ignore', 'pipe'] })
  program.stdin.on('error', () => undefined)
  program.stdin.end(value)
  const cancel = () => program.kill('SIGKILL')
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const [problem, [code]] = await Promise.all([
      text(program.stderr),
      once(program, 'exit') as Promise<[number | null]>,
    ])
    if (code === 0 || signal.aborted) return ''
    return problem.trim() || `writing to ${file} ended with ${code}`
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
