import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BootRequest } from '@threadbox/sandbox-driver'

/** Files of the host that a sandbox sees read-only: its names, its resolver, the trusted authorities, its skills. */
export type BootFiles = {
  /** Writes what all sandboxes share. */
  prepare(): Promise<void>
  /** Writes the files of one sandbox and says where everything is. */
  write(options: {
    sandboxId: string
    hostname: string
    gatewayAddress: string
    /**
     * Name of the guest's directory beside the current one: a boot that goes on keeps the guest it began with, and the
     * skills that it has seen, of which it may hold some open. A new boot begins with none.
     */
    guestDirectory?: string
  }): Promise<BootRequest['mounts']>
  /** Whether the guest is still there that a boot began with. */
  hasGuest(guestDirectory: string): Promise<boolean>
  /** Where on the host a sandbox's `/skills` is. */
  skillsOf(sandboxId: string): string
  /** Gives a sandbox what another one has at `/skills`, for memory of that one, which may hold some open. */
  copySkills(copy: { from: string; to: string }): Promise<void>
  remove(sandboxId: string): Promise<void>
}

/** What a sandbox sees at `/skills`, in its own directory; filled by `machine/skills/skill-places.ts`. */
const skillsName = 'skills'

export type BootFilesOptions = {
  directory: string
  guestDirectory: string
  certificateBundle: string
  extraCertificates: string
}

export function makeBootFiles(options: BootFilesOptions): BootFiles {
  const shared = path.join(options.directory, 'shared')
  const certificates = path.join(shared, 'ca-certificates.crt')
  const ownDirectory = (sandboxId: string) => path.join(options.directory, 'sandboxes', sandboxId)
  const guestPath = (name: string) => path.join(path.dirname(options.guestDirectory), name)
  return {
    prepare: async () => {
      await mkdir(shared, { recursive: true })
      const sources = [options.certificateBundle, options.extraCertificates].filter((source) => source !== '')
      const contents = await Promise.all(sources.map((source) => readFile(source, 'utf8')))
      await replaceFile(certificates, contents.map((content) => content.trimEnd()).join('\n'))
    },
    write: async ({ sandboxId, hostname, gatewayAddress, guestDirectory }) => {
      const directory = ownDirectory(sandboxId)
      const skillsDirectory = path.join(directory, skillsName)
      if (guestDirectory === undefined) await rm(skillsDirectory, { recursive: true, force: true })
      await mkdir(skillsDirectory, { recursive: true })
      const [hostsFile, resolvConf] = [path.join(directory, 'hosts'), path.join(directory, 'resolv.conf')]
      await Promise.all([
        // A name that is missing here makes sudo wait ten seconds for DNS.
        replaceFile(hostsFile, `127.0.0.1 localhost ${hostname}`),
        replaceFile(resolvConf, `nameserver ${gatewayAddress}\noptions timeout:3 attempts:2`),
      ])
      return {
        guestDirectory: guestDirectory === undefined ? options.guestDirectory : guestPath(guestDirectory),
        certificateBundle: certificates,
        resolvConf,
        hostsFile,
        skillsDirectory,
      }
    },
    hasGuest: (guestDirectory) =>
      access(guestPath(guestDirectory)).then(
        () => true,
        () => false,
      ),
    skillsOf: (sandboxId) => path.join(ownDirectory(sandboxId), skillsName),
    copySkills: async ({ from, to }) => {
      const target = path.join(ownDirectory(to), skillsName)
      await mkdir(path.join(ownDirectory(from), skillsName), { recursive: true })
      await rm(target, { recursive: true, force: true })
      await cp(path.join(ownDirectory(from), skillsName), target, {
        recursive: true,
        preserveTimestamps: true,
        // Else what a name points to would be a path of the host, and of another sandbox.
        verbatimSymlinks: true,
      })
    },
    remove: (sandboxId) => rm(ownDirectory(sandboxId), { recursive: true, force: true }),
  }
}

/** Readers see the old content or the new, never half of one. */
async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, `${content}\n`, { mode: 0o644 })
  await rename(`${file}.new`, file)
}
