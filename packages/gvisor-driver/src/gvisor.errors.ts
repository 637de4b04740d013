import { defineError } from '@threadbox/errors'

export const runscMissing = defineError<{ path: string }>({
  code: 'driver.runsc-missing',
  kind: 'unavailable',
  message: ({ path }) => `gVisor's runsc could not be run: there is no program at ${path}.`,
  remedy: () => 'Run `threadbox up` again: it installs runsc.',
})

export const runscFailed = defineError<{ verb: string; exitCode: number; reason: string }>({
  code: 'driver.runsc-failed',
  kind: 'internal',
  message: ({ verb, exitCode, reason }) => `\`runsc ${verb}\` failed (exit code ${exitCode}): ${reason}`,
  remedy: () => 'Run `threadbox doctor`: it starts a sandbox and names what is missing.',
})

export const cgroupsMissing = defineError<{ controller: string }>({
  code: 'driver.cgroups-missing',
  kind: 'unavailable',
  message: ({ controller }) => `The kernel's cgroup controller ${controller} cannot be used for sandboxes.`,
  remedy: ({ controller }) =>
    `Enable the controller ${controller} (kernel command line \`cgroup_enable=${controller}\`; inside a container: run it with its own cgroup tree) and start again.`,
})
