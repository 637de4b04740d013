import { defineError } from '@threadbox/errors'

export const runscMissing = defineError<{ path: string }>({
  code: 'driver.runsc-missing',
  kind: 'unavailable',
  message: ({ path }) => `Can’t run gVisor’s runsc: ${path} doesn’t exist.`,
  remedy: () => 'Run `threadbox up` again to install runsc.',
})

export const runscFailed = defineError<{ verb: string; exitCode: number; reason: string }>({
  code: 'driver.runsc-failed',
  kind: 'internal',
  message: ({ verb, exitCode, reason }) => `\`runsc ${verb}\` failed (exit code ${exitCode}): ${reason}`,
  remedy: () => 'Run `threadbox doctor`. It starts a test sandbox and reports what’s missing.',
})

export const cgroupsMissing = defineError<{ controller: string }>({
  code: 'driver.cgroups-missing',
  kind: 'unavailable',
  message: ({ controller }) => `Sandboxes can’t use the kernel’s ${controller} cgroup controller.`,
  remedy: ({ controller }) =>
    `Enable the ${controller} controller (kernel parameter \`cgroup_enable=${controller}\`; in a container, run ` +
    'it with its own cgroup tree), then restart.',
})
