import { X509Certificate } from 'node:crypto'
import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { defineError } from '@threadbox/errors'
import type { BootRequest } from '@threadbox/sandbox-driver'

/** Files of the host that a sandbox sees read-only: hostnames, resolver, certificate authorities, skills. */
export type BootFiles = {
  /** Writes the files that all sandboxes share. */
  prepare(): Promise<void>
  /**
   * Adds the authority of hosts with secrets to the bundle, in place of an earlier one. False if it has it already. Throws
   * `boot-files.authority-invalid` for anything but one certificate of an authority.
   */
  trust(certificate: string): Promise<boolean>
  /** Writes the files of one sandbox and returns where everything is. */
  write(options: {
    sandboxId: string
    hostname: string
    gatewayAddress: string
    /**
     * Name of a guest's directory beside the current one: a boot that continues keeps the guest it began with, and its
     * skills, of which it can hold some open. A new boot has none.
     */
    guestDirectory?: string
  }): Promise<BootRequest['mounts']>
  /** Tells whether the guest that a boot began with still exists. */
  hasGuest(guestDirectory: string): Promise<boolean>
  /** Path of a sandbox's `/skills` on the host. */
  skillsOf(sandboxId: string): string
  /** Copies the content of another sandbox's `/skills`, for memory of that sandbox, which can hold some files open. */
  copySkills(copy: { from: string; to: string }): Promise<void>
  remove(sandboxId: string): Promise<void>
}

export const authorityInvalid = defineError({
  code: 'boot-files.authority-invalid',
  kind: 'invalid',
  message: () => 'The certificate isn’t that of an authority.',
  remedy: () => 'Restart threadbox, so that its egress process makes a new authority.',
})

/** A sandbox's `/skills`, in its own directory; filled by `machine/skills/skill-places.ts`. */
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
  const authority = path.join(shared, 'egress-authority.crt')
  const writeBundle = async () => {
    const sources = [options.certificateBundle, options.extraCertificates].filter((source) => source !== '')
    const contents = await Promise.all(sources.map((source) => readFile(source, 'utf8')))
    const all = [...contents, await readIfPresent(authority)].map((content) => content.trimEnd())
    await replaceFile(certificates, all.filter((content) => content !== '').join('\n'))
  }
  const ownDirectory = (sandboxId: string) => path.join(options.directory, 'sandboxes', sandboxId)
  const guestPath = (name: string) => path.join(path.dirname(options.guestDirectory), name)
  return {
    prepare: async () => {
      await mkdir(shared, { recursive: true })
      await writeBundle()
    },
    trust: async (certificate) => {
      const text = authorityOf(certificate)
      if ((await readIfPresent(authority)).trim() === text.trim()) return false
      await replaceFile(authority, text.trimEnd())
      await writeBundle()
      return true
    },
    write: async ({ sandboxId, hostname, gatewayAddress, guestDirectory }) => {
      const directory = ownDirectory(sandboxId)
      const skillsDirectory = path.join(directory, skillsName)
      if (guestDirectory === undefined) await rm(skillsDirectory, { recursive: true, force: true })
      await mkdir(skillsDirectory, { recursive: true })
      const [hostsFile, resolvConf] = [path.join(directory, 'hosts'), path.join(directory, 'resolv.conf')]
      await Promise.all([
        // A hostname missing here makes sudo wait 10 s for DNS.
        replaceFile(hostsFile, `127.0.0.1 localhost ${hostname}`),
        // Each wait is twice the one before. A question that a killed DNS process has taken is asked again after a second.
        replaceFile(resolvConf, `nameserver ${gatewayAddress}\noptions timeout:1 attempts:4`),
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
        // Otherwise the target of a link would become a path of the host, and of another sandbox.
        verbatimSymlinks: true,
      })
    },
    remove: (sandboxId) => rm(ownDirectory(sandboxId), { recursive: true, force: true }),
  }
}

/** The certificate alone, as this process writes it: what else the text has goes to no sandbox. */
function authorityOf(text: string): string {
  try {
    const certificate = new X509Certificate(text)
    if (certificate.ca && certificate.checkIssued(certificate)) return certificate.toString()
  } catch (cause) {
    throw authorityInvalid({}, { cause })
  }
  throw authorityInvalid({})
}

async function readIfPresent(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}

/** Replaces a file atomically: readers see the old content or the new. */
async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, `${content}\n`, { mode: 0o644 })
  await rename(`${file}.new`, file)
}
