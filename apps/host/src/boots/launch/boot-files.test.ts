import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { makeBootFiles } from './boot-files.ts'

const run = promisify(execFile)

test('C13, G6: a fork gets the skills of its source, whose links lead nowhere outside of it', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-boot-files-'))
  try {
    const files = makeBootFiles({ directory, guestDirectory: '/guest', certificateBundle: '', extraCertificates: '' })
    const [source, fork] = [files.skillsOf('source'), files.skillsOf('fork')]
    await mkdir(path.join(source, '.versions/one/scripts'), { recursive: true })
    await writeFile(path.join(source, '.versions/one/SKILL.md'), 'read me')
    await symlink('.versions/one', path.join(source, 'charts'))
    await files.copySkills({ from: 'source', to: 'fork' })
    expect(await readlink(path.join(fork, 'charts'))).toBe('.versions/one')
    expect(await readFile(path.join(fork, 'charts/SKILL.md'), 'utf8')).toBe('read me')
    await files.copySkills({ from: 'without', to: 'fork' })
    await expect(readlink(path.join(fork, 'charts'))).rejects.toMatchObject({ code: 'ENOENT' })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

test('the bundle has the machine’s certificates, further ones and one authority, and only certificates of authorities get in', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-boot-files-'))
  try {
    const [machine, extra] = [path.join(directory, 'machine.crt'), path.join(directory, 'extra.crt')]
    await writeFile(machine, 'machine\n')
    await writeFile(extra, 'extra\n')
    const options = { directory, guestDirectory: '/guest', certificateBundle: machine, extraCertificates: extra }
    const files = makeBootFiles(options)
    const bundle = () => readFile(path.join(directory, 'shared/ca-certificates.crt'), 'utf8')
    await files.prepare()
    expect(await bundle()).toBe('machine\nextra\n')
    const [first, second, leaf] = await Promise.all([makeCertificate(), makeCertificate(), makeCertificate('FALSE')])
    for (const wrong of ['', 'text', leaf, `${first}`.slice(0, 200)]) {
      await expect(files.trust(wrong)).rejects.toMatchObject({ code: 'boot-files.authority-invalid' })
    }
    expect(await files.trust(`a text before it\n${first}`)).toBe(true)
    expect(await files.trust(first)).toBe(false)
    expect(await bundle()).toBe(`machine\nextra\n${first}`)
    expect(await files.trust(second)).toBe(true)
    await makeBootFiles(options).prepare()
    expect(await bundle()).toBe(`machine\nextra\n${second}`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})

async function makeCertificate(isAuthority = 'TRUE'): Promise<string> {
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', '/dev/null']
  const extension = ['-addext', `basicConstraints=critical,CA:${isAuthority}`]
  const { stdout } = await run('openssl', ['req', '-x509', ...key, '-subj', '/CN=test', '-days', '2', ...extension])
  return stdout
}
