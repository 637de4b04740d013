import { defaultSandboxLimits } from '@threadbox/domain'
import { expect, test } from 'vitest'
import { sandboxSpec } from './sandbox-spec.ts'

const request = {
  bootId: 'b1',
  sandboxId: 's1',
  hostname: 'box',
  rootPath: '/disks/s1',
  networkNamespacePath: '/run/netns/s1',
  mounts: {
    guestDirectory: '/guests/1',
    certificateBundle: '/shared/authorities',
    resolvConf: '/s1/resolv.conf',
    hostsFile: '/s1/hosts',
    skillsDirectory: '/skills-of-s1',
  },
  limits: defaultSandboxLimits,
}
const options = { cgroupsPath: '/threadbox-x/b1', guestArguments: ['/.guest/node'], ids: 'shifted' } as const

/** Everything that a restore compares: not sources, names and paths. */
function fixedPart(spec: ReturnType<typeof sandboxSpec>) {
  const { args, cwd, user, env, capabilities, rlimits, terminal } = spec.process
  const mounts = spec.mounts.map(({ destination, type, options }) => ({ destination, type, options }))
  return {
    args,
    cwd,
    user,
    env,
    capabilities,
    rlimits,
    terminal,
    mounts,
    namespaces: spec.linux.namespaces.map(({ type }) => type),
    uidMappings: spec.linux.uidMappings,
    gidMappings: spec.linux.gidMappings,
  }
}

test('specs of different sandboxes are equal in everything that a memory image depends on', () => {
  const other = {
    ...request,
    hostname: 'other',
    rootPath: '/disks/s2',
    mounts: { ...request.mounts, skillsDirectory: '/skills-of-s2', hostsFile: '/s2/hosts' },
    limits: { ...request.limits, processes: 7, memoryBytes: 1 },
  }
  expect(fixedPart(sandboxSpec(other, options))).toEqual(fixedPart(sandboxSpec(request, options)))
})

test('with the machine’s IDs, the spec has no mapping and no user namespace, as in the images of earlier releases', () => {
  const spec = sandboxSpec(request, { ...options, ids: 'machine' })
  expect(spec.root.path).toBe('/disks/s1')
  expect(fixedPart(spec)).toMatchObject({ uidMappings: undefined, gidMappings: undefined })
  expect(fixedPart(spec).namespaces).toEqual(['pid', 'ipc', 'uts', 'mount', 'network'])
  expect(fixedPart(sandboxSpec(request, options)).namespaces).toEqual(['pid', 'ipc', 'uts', 'mount', 'network', 'user'])
})

test('everything of the host that a sandbox sees is listed and read-only', () => {
  const binds = sandboxSpec(request, options).mounts.filter((mount) => mount.type === 'bind')
  expect(binds.map((mount) => mount.destination)).toEqual([
    '/.guest',
    '/etc/ssl/certs/ca-certificates.crt',
    '/etc/resolv.conf',
    '/etc/hosts',
    '/skills',
  ])
  for (const mount of binds) expect(mount.options).toEqual(expect.arrayContaining(['ro', 'nosuid', 'nodev']))
})

test.each([
  'SYS_ADMIN',
  'NET_ADMIN',
  'NET_RAW',
  'SYS_MODULE',
  'SYS_TIME',
  'BPF',
  'SYS_RAWIO',
  'SYS_BOOT',
  'SYS_RESOURCE',
])('C9: not even root inside has CAP_%s', (name) => {
  const { capabilities } = sandboxSpec(request, options).process
  for (const set of Object.values(capabilities)) expect(set).not.toContain(`CAP_${name}`)
})
