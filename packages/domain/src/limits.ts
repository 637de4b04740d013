/** The limits of one sandbox. Enforced inside the sandbox; the host’s cgroup is only the backstop. */
export type SandboxLimits = {
  memoryBytes: number
  /** Whole or fractional processors. */
  cpus: number
  /** Processes and threads of the user, not counting the guest's own. */
  processes: number
  /** Disk and its snapshots together, base image excluded. */
  diskBytes: number
}

const MiB = 1024 * 1024

/** The defaults of the product description: 4 GiB memory, 2 CPUs, 1024 processes, 10 GiB disk. */
export const defaultSandboxLimits: SandboxLimits = {
  memoryBytes: 4096 * MiB,
  cpus: 2,
  processes: 1024,
  diskBytes: 10 * 1024 * MiB,
}

/**
 * The cgroup limits behind {@link SandboxLimits}. An overrun of these kills the whole sandbox, so they leave room for
 * the sandbox's own kernel and guest: measured at about 13 MiB (sentry) and 54 MiB (guest) idle, growing with load.
 * `pids` counts host threads: runsc needed about two per guest process (a limit of 1024 died at 480 processes).
 */
export function backstopLimits(limits: SandboxLimits): { memoryBytes: number; pids: number; cpus: number } {
  return {
    memoryBytes: limits.memoryBytes + Math.max(512 * MiB, Math.round(limits.memoryBytes * 0.125)),
    pids: limits.processes * 16,
    cpus: limits.cpus,
  }
}

/** Share of the memory limit at which the guest ends the largest user process, so that the backstop never has to. */
export const memoryWatchdogShare = 0.92
