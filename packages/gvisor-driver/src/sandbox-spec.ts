import type { BootRequest } from '@threadbox/sandbox-driver'
import { type SandboxIds, type SharedPaths, shiftedIds, shiftedRootPath } from './shifted-ids.ts'

/**
 * The OCI spec of a boot. A memory image can only be restored with a spec with the same arguments, capabilities,
 * rlimits, mount list and options, so everything except paths, names and the network is fixed here for all sandboxes: a
 * change makes all existing images unusable.
 */
export function sandboxSpec(
  request: BootRequest,
  options: { cgroupsPath: string; guestArguments: readonly string[]; ids: SandboxIds },
) {
  const isShifted = options.ids === 'shifted'
  return {
    ociVersion: '1.0.0',
    hostname: request.hostname,
    root: { path: isShifted ? shiftedRootPath : request.rootPath, readonly: false },
    process: {
      terminal: false,
      user: { uid: 0, gid: 0 },
      cwd: '/',
      args: options.guestArguments,
      env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'LANG=C.UTF-8'],
      capabilities: { bounding: capabilities, effective: capabilities, permitted: capabilities },
      rlimits,
      noNewPrivileges: false,
    },
    mounts: mounts(request.mounts),
    linux: {
      cgroupsPath: options.cgroupsPath,
      namespaces: [
        { type: 'pid' },
        { type: 'ipc' },
        { type: 'uts' },
        { type: 'mount' },
        { type: 'network', path: request.networkNamespacePath },
        // Without it, runsc adds a user namespace that has the machine’s IDs.
        ...(isShifted ? [{ type: 'user' }] : []),
      ],
      ...(isShifted ? { uidMappings: [shiftedIds], gidMappings: [shiftedIds] } : {}),
    },
  }
}

/**
 * What root inside can do: own any file, become any user, bind low ports, trace and slow down processes. These
 * capabilities apply to the sandbox’s own kernel, never to the host’s. Excluded: SYS_ADMIN, NET_ADMIN, NET_RAW,
 * SYS_TIME, SYS_MODULE and similar, and SYS_RESOURCE, with which root would have no process limit.
 */
const capabilities = [
  'CAP_AUDIT_WRITE',
  'CAP_CHOWN',
  'CAP_DAC_OVERRIDE',
  'CAP_DAC_READ_SEARCH',
  'CAP_FOWNER',
  'CAP_FSETID',
  'CAP_KILL',
  'CAP_MKNOD',
  'CAP_NET_BIND_SERVICE',
  'CAP_SETFCAP',
  'CAP_SETGID',
  'CAP_SETPCAP',
  'CAP_SETUID',
  'CAP_SYS_CHROOT',
  'CAP_SYS_NICE',
  // The guest reads the environment and open files of the user’s processes for the manifest.
  'CAP_SYS_PTRACE',
]

/**
 * The maximum for any sandbox. The guest sets the sandbox’s own process limit on what it starts (it changes at run
 * time; this list must not).
 */
const rlimits = [
  { type: 'RLIMIT_NOFILE', hard: 65_536, soft: 65_536 },
  { type: 'RLIMIT_NPROC', hard: 32_768, soft: 32_768 },
  { type: 'RLIMIT_CORE', hard: 0, soft: 0 },
]

/** The machine’s files that a boot sees. */
export function sharedPaths({ rootPath, mounts }: BootRequest): SharedPaths {
  return { rootPath, files: Object.values(mounts) }
}

function mounts(sources: BootRequest['mounts']) {
  const readOnly = (destination: string, source: string) => ({
    destination,
    type: 'bind',
    source,
    options: ['ro', 'rbind', 'nosuid', 'nodev'],
  })
  // /tmp and /run stay on the disk: what a package created there during its installation must exist after a cold start.
  return [
    { destination: '/proc', type: 'proc', source: 'proc', options: ['nosuid', 'noexec', 'nodev'] },
    { destination: '/sys', type: 'sysfs', source: 'sysfs', options: ['nosuid', 'noexec', 'nodev', 'ro'] },
    { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
    { destination: '/dev/pts', type: 'devpts', source: 'devpts', options: ['nosuid', 'noexec'] },
    { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'nodev', 'mode=1777'] },
    readOnly('/.guest', sources.guestDirectory),
    readOnly('/etc/ssl/certs/ca-certificates.crt', sources.certificateBundle),
    readOnly('/etc/resolv.conf', sources.resolvConf),
    readOnly('/etc/hosts', sources.hostsFile),
    readOnly('/skills', sources.skillsDirectory),
  ]
}
