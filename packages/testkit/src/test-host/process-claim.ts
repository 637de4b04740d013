import { randomBytes } from 'node:crypto'
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'

/**
 * True if this process has the claim now: it was free, or the process that had it is gone. False also if its directory
 * no longer exists.
 */
export async function claim(file: string): Promise<boolean> {
  const own = `${file}.${randomBytes(4).toString('hex')}`
  try {
    // Written completely before it gets its name: an empty claim would belong to no process.
    await writeFile(own, `${process.pid} ${await startTicks(process.pid)}`)
    while (!(await linked(own, file))) {
      if (await isClaimed(file)) return false
      await removeStaleClaim(file, own)
    }
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  } finally {
    await rm(own, { force: true })
  }
}

/** Whether a running process has the claim. */
export async function isClaimed(file: string): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => '')
  const [pid, ticks] = holder.split(' ')
  return ticks !== undefined && (await startTicks(Number(pid))) === ticks
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** Removes the claim of a process that is gone. A claim that another process made in the meantime is restored. */
async function removeStaleClaim(file: string, own: string): Promise<void> {
  const old = `${own}.old`
  try {
    await rename(file, old)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  if (await isClaimed(old)) await linked(old, file)
  await rm(old, { force: true })
}

async function startTicks(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}
