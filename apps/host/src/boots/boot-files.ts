import { access, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
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
    /** Name of the guest's directory beside the current one: a boot that goes on keeps the guest it began with. */
    guestDirectory?: string
  }): Promise<BootRequest['mounts']>
  /** Whether the guest is still there that a boot began with. */
  hasGuest(guestDirectory: string): Promise<boolean>
  remove(sandboxId: string): Promise<void>
}

export type BootFilesOptions = {
  directory: string
  guestDirectory: string
  certificateBundle: string
  extraCertificates: string
  skillsDirectory: string
}

export function makeBootFiles(options: BootFilesOptions): BootFiles {
  const shared = path.join(options.directory, 'shared')
  const certificates = path.join(shared, 'ca-certificates.crt')
  const noSkills = path.join(shared, 'no-skills')
  const ownDirectory = (sandboxId: string) => path.join(options.directory, 'sandboxes', sandboxId)
  const guestPath = (name: string) => path.join(path.dirname(options.guestDirectory), name)
  return {
    prepare: async () => {
      await mkdir(noSkills, { recursive: true })
      const sources = [options.certificateBundle, options.extraCertificates].filter((source) => source !== '')
      const contents = await Promise.all(sources.map((source) => readFile(source, 'utf8')))
      await replaceFile(certificates, contents.map((content) => content.trimEnd()).join('\n'))
    },
    write: async ({ sandboxId, hostname, gatewayAddress, guestDirectory }) => {
      const directory = ownDirectory(sandboxId)
      await mkdir(directory, { recursive: true })
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
        skillsDirectory: options.skillsDirectory === '' ? noSkills : options.skillsDirectory,
      }
    },
    hasGuest: (guestDirectory) =>
      access(guestPath(guestDirectory)).then(
        () => true,
        () => false,
      ),
    remove: (sandboxId) => rm(ownDirectory(sandboxId), { recursive: true, force: true }),
  }
}

/** Readers see the old content or the new, never half of one. */
async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, `${content}\n`, { mode: 0o644 })
  await rename(`${file}.new`, file)
}
