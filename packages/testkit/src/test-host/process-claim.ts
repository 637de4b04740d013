import { readFile, rm, writeFile } from 'node:fs/promises'

/** True when the claim is this process's now: it was free, or the process that had it is gone. */
export async function claim(file: string): Promise<boolean> {
  const own = `${process.pid} ${await startTicks(process.pid)}`
  try {
    await writeFile(file, own, { flag: 'wx' })
    return true
  } catch {
    if (await isClaimed(file)) return false
    await rm(file, { force: true })
    return await claim(file)
  }
}

/** Whether a process that lives has the claim. */
export async function isClaimed(file: string): Promise<boolean> {
  const holder = await readFile(file, 'utf8').catch(() => '')
  const [pid, ticks] = holder.split(' ')
  return ticks !== undefined && (await startTicks(Number(pid))) === ticks
}

async function startTicks(pid: number): Promise<string | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19]
}
